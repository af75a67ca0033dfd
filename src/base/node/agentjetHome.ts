import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment } from './process/environment.ts';

/**
 * Where a user's GPU hosts are remembered, and by default what a host itself keeps: `AGENTJET_HOME`, else `agentjet` of
 * `XDG_CONFIG_HOME`, else `~/.agentjet`.
 *
 * @param home of the user, by default of whom this process belongs to
 */
export function agentjetHome(env: Environment, home = homedir()): string {
  const { AGENTJET_HOME: own = '', XDG_CONFIG_HOME: config = '' } = env;
  if (own !== '') return path.resolve(own);
  return path.isAbsolute(config) ? path.join(config, 'agentjet') : path.join(home, '.agentjet');
}
