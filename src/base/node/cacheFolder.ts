import path from 'node:path';
import type { Environment } from './process/environment.ts';

/** The parts of the system that decide where caches are. */
export interface CacheEnvironment {
  readonly env: Environment;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

/** Returns AgentJet's folder for everything that it can fetch or make again. */
export function agentjetCache(places: CacheEnvironment): string {
  const local = places.platform === 'win32' ? places.env['LOCALAPPDATA'] : undefined;
  return path.join(notEmpty(local) ?? userCache(places), 'agentjet');
}

/** Returns the folder in which the tools of Python keep caches, on every platform. */
export function userCache({ env, home }: CacheEnvironment): string {
  return notEmpty(env['XDG_CACHE_HOME']) ?? path.join(home, '.cache');
}

export function notEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
