// Properties tried on the same random examples in every run, so that what passed once passes again; `npm run test:full` draws others each
// time. What one of them finds is told with its seed.
import fc from "fast-check";

if (process.env.VAULTOPS_FULL !== "1") fc.configureGlobal({ seed: 1 });

export default fc;
