import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the built command, absolute. */
    readonly dist: string;
  }
}

/** Installs what was built in a place of its own: a build that goes on meanwhile changes nothing. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = path.resolve(import.meta.dirname, '../../..');
  const installed = await mkdtemp(path.join(tmpdir(), 'agentjet-cli-'));
  for (const part of ['dist', 'media', 'package.json']) {
    await cp(path.join(root, part), path.join(installed, part), { recursive: true });
  }
  project.provide('dist', path.join(installed, 'dist'));
  return () => rm(installed, { recursive: true, force: true });
}
