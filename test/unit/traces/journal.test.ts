import { expect, test } from 'vitest';
import { journalOn } from '../../../src/traces/node/store/connection.ts';

const local = { ext4: 0xef53, xfs: 0x58465342, btrfs: 0x9123683e, tmpfs: 0x01021994, overlay: 0x794c7630 };
const shared = { nfs: 0x6969, cifs: 0xff534d42, '9p': 0x01021997, fuse: 0x65735546, vboxsf: 0x786f4256 };

test.each(Object.entries(local))('%s of Linux takes a WAL', (_, type) => {
  expect(journalOn({ platform: 'linux', folder: '/runs', type })).toBe('wal');
});

test.each(Object.entries(shared))('%s of Linux takes none', (_, type) => {
  expect(journalOn({ platform: 'linux', folder: '/runs', type })).toBe('delete');
  expect(journalOn({ platform: 'linux', folder: '/runs', type: type | 0 })).toBe('delete');
});

test.each([
  ['C:\\runs', 'wal'],
  ['\\\\?\\C:\\runs', 'wal'],
  ['\\\\.\\C:\\runs', 'wal'],
  ['\\\\server\\share\\runs', 'delete'],
  ['\\\\?\\UNC\\server\\share', 'delete'],
  ['\\\\wsl.localhost\\Ubuntu\\runs', 'delete'],
])('%s of Windows: %s', (folder, journal) => {
  expect(journalOn({ platform: 'win32', folder, type: 0 })).toBe(journal);
});

test('macOS takes a WAL on its own disks only', () => {
  expect(journalOn({ platform: 'darwin', folder: '/runs', type: 0x1a })).toBe('wal');
  expect(journalOn({ platform: 'darwin', folder: '/Volumes/share', type: 0x1e })).toBe('delete');
});
