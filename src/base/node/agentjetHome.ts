import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment } from './process/environment.ts';

/**
 * Returns the folder with the GPU hosts and imported traces of the user and, by default, the data of a host. It is
 * `AGENTJET_HOME`, or `agentjet` in `XDG_CONFIG_HOME`, or `~/.agentjet`.
 */
export function agentjetHome(env: Environment, home = homedir()): string {
  const { AGENTJET_HOME: own = '', XDG_CONFIG_HOME: config = '' } = env;
  if (own !== '') return path.resolve(own);
  return path.isAbsolute(config) ? path.join(config, 'agentjet') : path.join(home, '.agentjet');
}
