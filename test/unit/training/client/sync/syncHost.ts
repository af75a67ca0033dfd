import { mkdir, mkdtemp, rm, writeFile, chmod, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { openHostSync, type OpenHostSync } from '../../../../../src/training/node/host/sync/hostSync.ts';
import { readTree } from '../../../../../src/training/node/client/sync/readTree.ts';
import type { HostFiles } from '../../../../../src/training/core/contracts.ts';
import type { Tree } from '../../../../../src/training/core/sync/tree.ts';
import type { ClientConnection } from '../../../../../src/training/core/wire/clientConnection.ts';
import { ScriptedServices } from '../../../../tools/host/scriptedServices.ts';
import { client, wireHost, type WireHost } from '../wire/wireHost.ts';

export interface SyncHost {
  readonly sync: OpenHostSync;
  readonly wire: WireHost;
  readonly connection: ClientConnection;
  /** Methods that were asked for so far. */
  readonly asked: string[];
}

/** A host with its contents in a folder, and a client of it, over a socket. */
export async function syncHost(folder: string, files?: HostFiles): Promise<SyncHost> {
  const sync = await openHostSync({ dataFolder: path.join(folder, 'data') });
  onTestFinished(() => sync.flushed());
  const services = { ...new ScriptedServices().services, sync, ...(files && { files }) };
  const wire = await wireHost({ services });
  const connection = client({ url: `ws://127.0.0.1:${wire.port}`, token: wire.token() });
  return { sync, wire, connection, asked: watched(connection) };
}

/** What goes over a connection, told by its methods. */
export function watched(connection: ClientConnection): string[] {
  const asked: string[] = [];
  const ask = connection.ask.bind(connection);
  connection.ask = (method, ...rest) => {
    asked.push(method);
    return ask(method, ...rest);
  };
  const upload = connection.upload.bind(connection);
  connection.upload = (request, ...rest) => {
    asked.push(request.method);
    return upload(request, ...rest);
  };
  return asked;
}

export async function temporary(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-tree-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** By path: a text, `* text` for an executable, `-> target` for a link, null for an empty folder. */
export async function write(root: string, files: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [inside, text] of Object.entries(files)) {
    const place = path.join(root, inside);
    await mkdir(text === null ? place : path.dirname(place), { recursive: true });
    if (text === null) continue;
    if (text.startsWith('-> ')) await symlink(text.slice(3), place);
    else await writeFile(place, text.replace(/^\* /, ''));
    if (text.startsWith('* ')) await chmod(place, 0o755);
  }
}

export function treeOf(root: string, cache: string | null = null): Promise<Tree> {
  return readTree(root, { cache, cancellation: neverCancelled });
}

/** Paths of all that is sent. */
export function pathsOf(tree: Tree): readonly string[] {
  return [...tree.files, ...tree.links].map((entry) => entry.path).sort();
}
