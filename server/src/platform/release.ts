import packageFile from "../../package.json" with { type: "json" };

/** The release that this is. */
export const RELEASE = packageFile.version;
