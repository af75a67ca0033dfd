/**
 * Makes the .vsix and checks what is in it against the golden list.
 *
 *   node test/tools/package.mjs [--update]    --update writes the list anew: read the difference before committing it
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createVSIX, listFiles } from '@vscode/vsce';
import { artifacts, exitWith, root, ToolError } from './commands.mjs';

const golden = path.join(root, 'test/package.golden.txt');

/** Folders of which nothing is ever packaged: vsce tries each file in reach against each line of .vscodeignore. */
const aside = ['.artifacts', '.git', '.tsbuild', 'node_modules', 'src', 'test'].map((name) =>
  path.join(root, name),
);

/** Calls `use` with a copy of the rest. */
async function withStage(use) {
  const stage = await mkdtemp(path.join(os.tmpdir(), 'agentjet-package-'));
  try {
    await cp(root, stage, { recursive: true, filter: (source) => !aside.includes(source) });
    return await use(stage);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function checkList(cwd) {
  const files = await listFiles({ cwd, dependencies: false });
  const list = `${files
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
    .join('\n')}\n`;
  if (process.argv.includes('--update')) writeFileSync(golden, list);
  const expected = readFileSync(golden, 'utf8');
  if (list === expected) return files.length;
  const difference = (from, to, sign) =>
    from
      .split('\n')
      .filter((line) => line !== '' && !to.split('\n').includes(line))
      .map((line) => `${sign} ${line}`);
  const changes = [...difference(list, expected, '+'), ...difference(expected, list, '-')].join('\n');
  throw new ToolError(`The package does not hold the files of test/package.golden.txt:\n${changes}`);
}

async function makePackage(cwd) {
  const count = await checkList(cwd);
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  await mkdir(artifacts, { recursive: true });
  const packagePath = path.join(artifacts, `agentjet-${version}.vsix`);
  await createVSIX({
    cwd,
    dependencies: false,
    packagePath,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
  const megabytes = statSync(packagePath).size / 1e6;
  console.log(`${path.relative(root, packagePath)}: ${megabytes.toFixed(2)} MB, ${count} files`);
}

await withStage(makePackage).catch(exitWith);
