/**
 * Makes the .vsix and compares its files with the golden list.
 *
 *   node test/tools/package.mjs [--update]    --update rewrites the list: read the difference before you commit it
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';
import { artifacts, exitWith, root, ToolError } from './commands.mjs';

/**
 * The public address of the repository, for example `https://github.com/owner/name`. The manifest's `repository`, `bugs` and
 * `homepage`, and the links of the README, follow from it.
 * @type {string | undefined}
 */
const publicRepository = undefined;

/** The parts of the programs have names that change with their content. The list has one line for all of them. */
const partName = /[^/]+-[0-9A-Z]{8}\.mjs$/;

const golden = path.join(root, 'test/package.golden.txt');

/** Folders that are never packaged. Without them vsce has fewer files to match against .vscodeignore. */
const aside = ['.artifacts', '.git', '.tsbuild', 'node_modules', 'src', 'test'].map((name) =>
  path.join(root, name),
);

/** Calls `use` with a copy of all other files, prepared for packaging. */
async function withStage(use) {
  const stage = await mkdtemp(path.join(os.tmpdir(), 'agentjet-package-'));
  try {
    await cp(root, stage, { recursive: true, filter: (source) => !aside.includes(source) });
    await prepare(stage);
    return await use(stage);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function prepare(stage) {
  await rename(path.join(stage, 'dist/THIRD-PARTY-NOTICES.txt'), path.join(stage, 'THIRD-PARTY-NOTICES.txt'));
  if (publicRepository === undefined) {
    console.warn(
      'warning: no public repository is set (publicRepository in test/tools/package.mjs). ' +
        'The extension page has no repository link, and its links to docs/ do not work.',
    );
    const readme = path.join(stage, 'README.md');
    writeFileSync(readme, withEmbeddedPictures(readFileSync(readme, 'utf8'), stage));
  } else {
    const manifest = path.join(stage, 'package.json');
    const addresses = {
      repository: { type: 'git', url: `${publicRepository}.git` },
      bugs: { url: `${publicRepository}/issues` },
      homepage: `${publicRepository}#readme`,
    };
    const described = JSON.parse(readFileSync(manifest, 'utf8'));
    writeFileSync(manifest, `${JSON.stringify({ ...described, ...addresses }, null, 2)}\n`);
  }
}

/** Returns the Markdown with its PNG files as data URLs: the extension page shows no picture by a relative path. */
function withEmbeddedPictures(markdown, folder) {
  return markdown.replaceAll(/\]\((?!https?:)([^)\s]+\.png)\)/g, (_, file) => {
    const data = readFileSync(path.join(folder, file)).toString('base64');
    return `](data:image/png;base64,${data})`;
  });
}

async function checkList(cwd) {
  const files = await listFiles({ cwd, packageManager: PackageManager.None });
  const names = files.map((file) => file.replaceAll('\\', '/').replace(partName, '*.mjs'));
  const list = `${[...new Set(names)].sort().join('\n')}\n`;
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
    rewriteRelativeLinks: publicRepository !== undefined,
  });
  const megabytes = statSync(packagePath).size / 1e6;
  console.log(`${path.relative(root, packagePath)}: ${megabytes.toFixed(2)} MB, ${count} files`);
}

await withStage(makePackage).catch(exitWith);
