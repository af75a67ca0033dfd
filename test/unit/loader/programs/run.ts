/** Loads `Agent` (or what else is named) from the file given and runs it once; prints one JSON value. */
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { toReport } from '../../../../src/base/errors.ts';
import { installLoader, type ExportKind } from '../../../../src/node/loader/loader.ts';
import type { AjetTuner, WorkflowTask } from '../../../../src/workflow/index.ts';

const [file = '', name = 'Agent', kind = 'workflow'] = process.argv.slice(2);
const root = path.resolve(import.meta.dirname, '../../../..');
const loader = installLoader({
  sdkUrl: pathToFileURL(path.join(root, 'src/workflow/index.ts')).href,
  esbuild: path.join(root, 'node_modules/esbuild-wasm/bin/esbuild'),
  ownFolder: path.join(root, 'src'),
});
const task = { task: { main_query: 'twelve chars' } } as WorkflowTask;

try {
  const loaded = await loader.loadExport({ file, name }, kind as ExportKind, [root]);
  const reward = kind === 'workflow' ? await runOnce(loaded.value as new () => { execute: Execute }) : null;
  print({ reward, file: loaded.file });
} catch (error) {
  print({ error: { ...toReport(error, 'none'), stack: undefined }, frame: loader.userFrame(error) });
}

type Execute = (task: WorkflowTask, tuner: AjetTuner) => Promise<{ reward?: number | null }>;

async function runOnce(Agent: new () => { execute: Execute }): Promise<unknown> {
  return (await new Agent().execute(task, {} as AjetTuner)).reward;
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
