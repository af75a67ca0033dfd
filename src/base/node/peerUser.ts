import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { userInfo } from 'node:os';
import process from 'node:process';

/**
 * Returns whether another user of this machine opened the other end of a connection on loopback. Root is not another user,
 * because root may do everything anyway, and neither are the subordinate ids of this user's containers. Only Linux has
 * this information. Without it, the connection is allowed.
 */
export async function isFromOtherUser(socket: Socket): Promise<boolean> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  const own = process.getuid?.();
  if (process.platform !== 'linux' || own === undefined) return false;
  const here = addressOf(localAddress, localPort);
  const there = addressOf(remoteAddress, remotePort);
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readOrEmpty));
  const rows = tables.flatMap((table) => table.split('\n')).map((row) => row.trim().split(/\s+/));
  const find = (local: string, remote: string): string[] | undefined =>
    rows.find(([, from, to]) => from?.endsWith(local) === true && to?.endsWith(remote) === true);
  const [, , , , , , , user, , inode] = find(there, here) ?? [];
  // A socket that is closed already has no user. Its data is still readable here.
  if (user === undefined || inode === '0') return socket.destroyed || find(here, there) !== undefined;
  const uid = Number(user);
  return uid !== own && uid !== 0 && !(await isSubordinate(uid, own));
}

/** Checks each connection of a server once. Returns whether the client of a request is another user. */
export function checkPeers(server: Server): (request: IncomingMessage) => Promise<boolean> {
  const checks = new WeakMap<Socket, Promise<boolean>>();
  server.on('connection', (socket: Socket) => checks.set(socket, isFromOtherUser(socket)));
  return ({ socket }) => checks.get(socket) ?? isFromOtherUser(socket);
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
async function isSubordinate(uid: number, own: number): Promise<boolean> {
  const name = userName();
  const lines = (await readOrEmpty('/etc/subuid')).split('\n').map((line) => line.split(':'));
  return lines.some(
    ([user, first, count]) =>
      (user === name || user === String(own)) && uid >= Number(first) && uid < Number(first) + Number(count),
  );
}

/** Undefined in a container without this user. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

function readOrEmpty(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
