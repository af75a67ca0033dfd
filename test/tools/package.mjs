/**
 * Makes the .vsix and the npm package of the command, and compares the files of the first with the golden list. Both are
 * ready to publish: docs/publish.md has the commands.
 *
 *   node test/tools/package.mjs [--update]    --update rewrites the list: read the difference before you commit it
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';
import { artifacts, exitWith, root, ToolError } from './commands.mjs';
import { manifestIn } from './translations.mjs';

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
  for (const page of readdirSync(path.join(stage, 'docs')))
    writeFileSync(
      path.join(stage, 'docs', page),
      withoutPictures(readFileSync(path.join(stage, 'docs', page), 'utf8')),
    );
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

/** Returns the page without its pictures. The preview of the editor shows none from another folder. */
function withoutPictures(markdown) {
  return markdown.replaceAll(/^!\[.*\]\(.*\)\n\n/gm, '');
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

const readManifest = (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));

async function makePackages(cwd) {
  await makeVsix(cwd);
  await makeNpmPackage(cwd);
}

/** Throws if a marketplace would refuse the manifest or show it badly. It checks only what vsce does not. */
function checkManifest(cwd) {
  const manifest = manifestIn();
  const icon = readFileSync(path.join(cwd, manifest.icon));
  const mistakes = [
    [!/^[A-Z]/.test(manifest.displayName ?? ''), 'displayName is missing'],
    [!/^.{20,200}$/.test(manifest.description ?? ''), 'description needs 20 to 200 characters'],
    [manifest.keywords.length > 30, 'keywords has more than 30'],
    [
      manifest.license === undefined || !existsSync(path.join(cwd, 'LICENSE')),
      'license or LICENSE is missing',
    ],
    [icon.readUInt32BE(16) < 128 || icon.readUInt32BE(20) < 128, 'icon is smaller than 128 pixels'],
    [!/^#[\da-f]{6}$/i.test(manifest.galleryBanner?.color ?? ''), 'galleryBanner.color is not a color'],
    [manifest.preview === true && !manifest.version.startsWith('0.'), 'preview is set for a stable version'],
  ];
  const found = mistakes.filter(([isWrong]) => isWrong).map(([, text]) => `package.json: ${text}.`);
  if (found.length > 0) throw new ToolError(found.join('\n'));
}

async function makeVsix(cwd) {
  checkManifest(cwd);
  const count = await checkList(cwd);
  const { version } = readManifest(root);
  await mkdir(artifacts, { recursive: true });
  const packagePath = path.join(artifacts, `agentjet-${version}.vsix`);
  await createVSIX({
    cwd,
    dependencies: false,
    packagePath,
    allowMissingRepository: true,
    rewriteRelativeLinks: publicRepository !== undefined,
  });
  reportSize(packagePath, count);
}

function reportSize(file, count) {
  const megabytes = statSync(file).size / 1e6;
  console.log(`${path.relative(root, file)}: ${megabytes.toFixed(2)} MB, ${count} files`);
}

/** Files of the extension that the command does not need. */
const editorOnly =
  /^(?:dist\/extension\.js|docs\/|media\/(?!template)|syntaxes\/|package\.|README|CHANGELOG)/;

/** Packs the command for npm: no dependencies, because all packages are bundled, and no scripts that run at its installation. */
async function makeNpmPackage(stage) {
  const folder = path.join(stage, '.npm');
  const files = await listFiles({ cwd: stage, packageManager: PackageManager.None });
  for (const file of files.filter((name) => !editorOnly.test(name.replaceAll('\\', '/'))))
    await cp(path.join(stage, file), path.join(folder, file));
  await cp(path.join(root, 'docs/install-the-command.md'), path.join(folder, 'README.md'));
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(npmManifest(stage), null, 2)}\n`);
  const args = ['pack', folder, '--pack-destination', artifacts, '--json'];
  const output = execFileSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' });
  const [{ filename, entryCount }] = JSON.parse(output);
  reportSize(path.join(artifacts, filename), entryCount);
}

function npmManifest(stage) {
  const { name, version, license, keywords, bin, engines, repository, bugs, homepage } = readManifest(stage);
  return {
    name,
    version,
    description:
      'Debug and train LLM agents with reinforcement learning: the command line of AgentJet for VS Code.',
    license,
    keywords,
    repository,
    bugs,
    homepage,
    bin,
    exports: {
      '.': { types: './dist/types/agentjet.d.ts', default: './dist/sdk.mjs' },
      './package.json': './package.json',
    },
    engines: { node: engines.node },
    files: ['**'],
  };
}

await withStage(makePackages).catch(exitWith);
