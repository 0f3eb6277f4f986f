// What a process that a test starts gets of this process's environment: where programs are found, where files go for a while and where
// compiled code is kept. Nothing else, so that no VAULTOPS_… variable of the shell, and none that the runner sets, changes what is tested.
const { PATH = "", TMPDIR, NODE_COMPILE_CACHE } = process.env;

export const bareEnvironment: Record<string, string> = {
  PATH,
  ...(TMPDIR === undefined ? {} : { TMPDIR }),
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
};
