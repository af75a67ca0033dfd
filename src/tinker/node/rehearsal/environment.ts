import { childEnvironment } from '../../../base/node/process/environment.ts';
import type { CacheEnvironment } from '../../../base/node/cacheFolder.ts';

/** Variables that change which packages Python finds, where pip installs, and what the server computes with. */
const foreign = /^(?:PYTHON|__PYVENV|VIRTUAL_ENV|CONDA_|PIP_|JAX_|XLA_|HF_|TRANSFORMERS_|SKYRL_)/i;
/** The settings of pip for indexes and the network. */
const kept =
  /^PIP_(?:INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|CERT|CLIENT_CERT|TRUSTED_HOST|PROXY|TIMEOUT|DEFAULT_TIMEOUT|RETRIES|CONFIG_FILE|KEYRING_PROVIDER)$/i;

/** Returns the environment for the processes of a rehearsal, without the user's environments of Python. */
export function rehearsalEnvironment(
  { env, platform }: CacheEnvironment,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const names = Object.keys(env).filter((name) => foreign.test(name) && !kept.test(name));
  const removed = Object.fromEntries(names.map((name) => [name, null]));
  return childEnvironment(env, [removed, own], platform);
}
