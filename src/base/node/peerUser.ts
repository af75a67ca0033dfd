import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { userInfo } from 'node:os';
import process from 'node:process';
import { attempt } from '../core/attempt.ts';

/**
 * Returns whether another user of this machine opened the other end of a connection on loopback. Root is not another user,
 * because root may do everything anyway, and neither are the subordinate ids of this user's containers. Only Linux has
 * this information. Without it, the connection is allowed.
 */
export function isFromOtherUser(socket: Socket): boolean {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  const own = process.getuid?.();
  if (process.platform !== 'linux' || own === undefined) return false;
  const here = addressOf(localAddress, localPort);
  const there = addressOf(remoteAddress, remotePort);
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map(readOrEmpty);
  const find = (local: string, remote: string): string[] | undefined => {
    const row = tables.flatMap(
      (table) => new RegExp(`^.*${local} \\S*${remote} .*$`, 'm').exec(table)?.[0] ?? [],
    );
    return row[0]?.trim().split(/\s+/);
  };
  const [, , , , , , , user, , inode] = find(there, here) ?? [];
  // A socket that is closed already has no user. Its data is still readable here.
  if (user === undefined || inode === '0') return socket.destroyed || find(here, there) !== undefined;
  const uid = Number(user);
  return uid !== own && uid !== 0 && !isSubordinate(uid, own);
}

/** Checks each connection of a server. Returns whether the client of a request is another user. */
export function checkPeers(server: Server): (request: IncomingMessage) => boolean {
  const others = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    if (isFromOtherUser(socket)) others.add(socket);
  });
  return ({ socket }) => others.has(socket);
}

/** Returns an IPv4 address as the tables of Linux write it, e.g. `0100007F:1F90`. */
function addressOf(address = '', port = 0): string {
  const bytes = address.replace(/^::ffff:/, '').split('.');
  const hex = (value: number, digits: number): string =>
    value.toString(16).toUpperCase().padStart(digits, '0');
  return `${bytes
    .map((byte) => hex(Number(byte), 2))
    .reverse()
    .join('')}:${hex(port, 4)}`;
}

/** `/etc/subuid` has lines `user:first:count`, by name or by number. */
function isSubordinate(uid: number, own: number): boolean {
  const name = attempt(() => userInfo().username); // undefined in a container without this user
  const lines = readOrEmpty('/etc/subuid')
    .split('\n')
    .map((line) => line.split(':'));
  return lines.some(
    ([user, first, count]) =>
      (user === name || user === String(own)) && uid >= Number(first) && uid < Number(first) + Number(count),
  );
}

function readOrEmpty(file: string): string {
  return attempt(() => readFileSync(file, 'utf8')) ?? '';
}
