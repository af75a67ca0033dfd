/** Whom a service of the machine runs as, and what is done as that user, who need not be the one that installs it. */
import { spawnSync } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import process from 'node:process';
import { CodedError } from '../../../base/core/errors.ts';
import type { Environment } from '../../../base/node/process/environment.ts';

export interface ServiceUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Who called sudo; whoever this is, where nobody did. */
export function whoInstalls(env: Environment): ServiceUser {
  const { uid, gid, username } = userInfo();
  const name = env['SUDO_USER'] ?? '';
  if (uid !== 0 || name === '') return { name: username, uid, gid, home: homedir() };
  // The system's own answer: users need not be in /etc/passwd.
  const { stdout, status } = spawnSync('getent', ['passwd', '--', name], { encoding: 'utf8' });
  const [, , itsUid = '', itsGid = '', , home = ''] = status === 0 ? stdout.trim().split(':') : [];
  if (home === '') {
    throw new CodedError({
      code: 'host/no-user',
      message: `This machine knows no user ${JSON.stringify(name)}, whom SUDO_USER names.`,
      hint: 'Call sudo as the user whom the service is to run as.',
    });
  }
  return { name, uid: Number(itsUid), gid: Number(itsGid), home };
}

/**
 * What is done in the folders of a user is done with the user's own rights: it belongs to that user, and links that lie
 * there lead root nowhere. `work` may not be asynchronous: meanwhile the whole process is the user's.
 */
export function asUser<T>({ name, uid, gid }: ServiceUser, work: () => T): T {
  if (process.geteuid?.() !== 0 || uid === 0) return work();
  const groups = process.getgroups?.() ?? [];
  const group = process.getegid?.() ?? 0;
  const { stdout } = spawnSync('id', ['-G', '--', name], { encoding: 'utf8' });
  process.setgroups?.([...new Set([gid, ...stdout.split(/\s+/).filter(Boolean).map(Number)])]);
  process.setegid?.(gid);
  process.seteuid?.(uid);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(group);
    process.setgroups?.(groups);
  }
}
