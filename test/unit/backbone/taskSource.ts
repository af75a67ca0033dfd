import path from 'node:path';
import { missingHelper } from '../../../src/backbone/core/helper-llm/createHelper.ts';
import type { ReaderTools } from '../../../src/backbone/core/task-reader/taskReader.ts';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { FakeClock } from '../fakeClock.ts';

const refuse = (): never => {
  throw new Error('This reader was not expected to use tools.');
};

const tools: ReaderTools = {
  cwd: '/project',
  paths: path.posix,
  clock: new FakeClock(),
  seed: 1,
  digest: refuse,
  readBytes: refuse,
  writeText: refuse,
  appendText: refuse,
  readSpans: refuse,
  readPdf: refuse,
  embed: refuse,
  embeddingKey: undefined,
  newUuid: refuse,
};

/** What a reader that neither asks nor waits has no use for. */
export const unasked = { helper: missingHelper(), cancellation: neverCancelled, log: () => undefined, tools };
