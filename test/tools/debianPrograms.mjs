/**
 * Gets a program that Debian and its kin have as a package, for whoever runs the tests: no root, nothing of the system
 * is changed. Its packages, with those it needs and the system lacks, are unpacked into the user's cache, once.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ToolError, logs, onPath, runLogged, tail } from './commands.mjs';
import { withLock } from './lock.mjs';
import { userCacheFolder } from './vscodeServer.mjs';

const log = path.join(logs, 'setup-debian.log');
const programFolders = ['usr/sbin', 'usr/bin', 'sbin', 'bin'];

/**
 * A program on PATH, else the one of the package.
 * @param {string} name
 * @param {string} [packageName]
 * @returns {Promise<{ file: string, env: NodeJS.ProcessEnv }>} the environment has its libraries
 */
export async function debianProgram(name, packageName = name) {
  const found = onPath([name]);
  if (found !== undefined) return { file: found, env: process.env };
  const folder = await debianPackages([packageName]);
  const file = programIn(folder, name);
  if (file === undefined) throw new ToolError(`Debian's package ${packageName} has no program ${name}.`);
  const env = { ...process.env, LD_LIBRARY_PATH: librariesOf(folder).join(':') };
  const lacks = missingLibraries(file, env);
  if (lacks.length > 0)
    throw new ToolError(`${file} lacks ${lacks.join(', ')}: remove ${folder} and try again.`);
  return { file, env };
}

/** The folder of such packages, unpacked as onto the root of a system. */
export async function debianPackages(names) {
  if (onPath(['apt-get']) === undefined || onPath(['dpkg-deb']) === undefined)
    throw new ToolError(`There is no ${names.join(', ')}, and no apt-get to fetch it with: install it.`);
  const cache = path.join(userCacheFolder(), 'agentjet-dev');
  const folder = path.join(cache, `${distribution()}-${process.arch}-${names.join('-')}`);
  if (existsSync(folder)) return folder;
  await withLock(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await unpackPackages(names, folder);
  });
  return folder;
}

export function programIn(folder, name) {
  return programFolders.map((each) => path.join(folder, each, name)).find((file) => existsSync(file));
}

/** The folders below it that hold shared libraries. */
export function librariesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const libraries = entries.filter(({ name }) => /\.so(?:\.|$)/.test(name));
  return [...new Set(libraries.map(({ parentPath }) => parentPath))];
}

function missingLibraries(file, env) {
  const told = execFileSync('ldd', [file], { env, encoding: 'utf8' });
  return [...told.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name]) => name);
}

/** What was built for one release need not run on another one that shares the home folder. */
function distribution() {
  const text = readFileSync('/etc/os-release', 'utf8');
  const part = (key) => new RegExp(`^${key}="?([^"\\n]*)`, 'm').exec(text)?.[1] ?? '';
  return `${part('ID')}-${part('VERSION_CODENAME')}`;
}

/** The rename at the end makes it all or nothing. */
async function unpackPackages(names, folder) {
  console.error(`Fetching ${names.join(', ')} (once; a few seconds) …`);
  const work = await mkdtemp(`${folder}.fetching-`);
  try {
    const archives = path.join(work, 'apt/archives');
    for (const each of ['apt/lists/partial', 'apt/archives/partial', 'root'])
      await mkdir(path.join(work, each), { recursive: true });
    const config = path.join(work, 'apt/config');
    await writeFile(config, configOf(work));
    await must('apt-get', ['-c', config, '-q', 'update']);
    const how = ['-y', '--download-only', '--reinstall', '--no-install-recommends'];
    await must('apt-get', ['-c', config, '-q', 'install', ...how, ...names]);
    const packages = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
    for (const each of packages)
      await must('dpkg-deb', ['-x', path.join(archives, each), path.join(work, 'root')]);
    await rename(path.join(work, 'root'), folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** With lists and archives of its own, and without apt's locks and its own user: these are what would take root. */
const configOf = (work) => `
#clear APT::Update;
#clear DPkg::Post-Invoke;
Debug::NoLocking "1";
APT::Sandbox::User "";
Acquire::Retries "2";
Dir::State::Lists "${work}/apt/lists";
Dir::Cache "${work}/apt";
`;

async function must(command, args) {
  if (
    (await runLogged(command, args, { log, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })) ===
    0
  )
    return;
  throw new ToolError(
    `\`${command}\` could not fetch what is needed: check the network and Debian's sources (see ${log}).\n\n${tail(log, 10)}`,
  );
}
