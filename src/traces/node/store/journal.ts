import { realpathSync, statfsSync } from 'node:fs';
import process from 'node:process';
import type { Connection } from './connection.ts';

/** Milliseconds that the end of a run waits for readers. */
const patience = 200;

/**
 * Merges the journal into the file and switches to a mode that read-only folders and other systems can open. This
 * fails while readers have the file open. Then the last of them does it; see the reader's `close`.
 */
export function mergeJournal(connection: Connection): void {
  try {
    connection.execute(`PRAGMA busy_timeout = ${patience}; PRAGMA wal_checkpoint(TRUNCATE);`);
    connection.execute('PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE;');
  } catch {
    // A reader has the file open, or the folder is not writable. All data is safe in its current place.
  }
}

/** The journal mode of a trace. `wal` lets readers read while it is written, if memory can be shared. */
export type Journal = 'wal' | 'delete';

/** Facts about a folder's file system. */
export interface FolderFacts {
  readonly platform: NodeJS.Platform;
  /** An absolute path. On Windows, mapped drives are resolved to their shares. */
  readonly folder: string;
  /** `statfs`'s type. */
  readonly type: number;
}

/** File systems of Linux whose files other machines may have open, or whose shared memory is unreliable. */
const unsafeOnLinux = new Map([
  ['nfs', 0x6969],
  ['smb', 0x517b],
  ['cifs', 0xff534d42],
  ['smb2', 0xfe534d42],
  ['9p', 0x01021997],
  ['fuse (sshfs, virtiofs and the like)', 0x65735546],
  ['ceph', 0x00c36400],
  ['afs', 0x5346414f],
  ['kafs', 0x6b414653],
  ['coda', 0x73757245],
  ['ncp', 0x564c],
  ['lustre', 0x0bd00bd0],
  ['gpfs', 0x47504653],
  ['gfs2', 0x01161970],
  ['ocfs2', 0x7461636f],
  ['panfs', 0xaad7aaea],
  ['beegfs', 0x19830326],
  ['orangefs', 0x20030528],
  ['vboxsf', 0x786f4256],
  ['vmhgfs', 0xbacbacbc],
  ['prl_fs', 0x7c7c6673],
]);

/** Safe file systems of macOS. It assigns other numbers at run time, so only known local ones are safe. */
const safeOnMac = new Map([
  ['hfs', 0x11],
  ['apfs', 0x1a],
]);

export function journalOn({ platform, folder, type }: FolderFacts): Journal {
  switch (platform) {
    case 'linux':
      // A 32-bit Node.js returns the highest of them as negative numbers.
      return [...unsafeOnLinux.values()].includes(type >>> 0) ? 'delete' : 'wal';
    case 'darwin':
      return [...safeOnMac.values()].includes(type) ? 'wal' : 'delete';
    case 'win32':
      return isShare(folder) ? 'delete' : 'wal';
    default:
      return 'delete';
  }
}

/** Returns true for `\\server\share\…` and `\\?\UNC\server\…`, but not for `\\?\C:\…` or `\\.\…`. */
function isShare(folder: string): boolean {
  return /^[\\/]{2}(?![?.][\\/])/.test(folder) || /^[\\/]{2}\?[\\/]UNC[\\/]/i.test(folder);
}

/** Returns the journal mode that is safe in a folder. Throws errors of the file system. */
export function journalFor(folder: string): Journal {
  return journalOn({
    platform: process.platform,
    folder: realpathSync.native(folder),
    type: statfsSync(folder).type,
  });
}
