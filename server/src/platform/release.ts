/** The release that this is. */
export const RELEASE = "0.1.0";
