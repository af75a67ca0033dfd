/**
 * The texts that users of the extension see, in every language that it speaks.
 *
 *   node test/tools/translations.mjs [--update]
 *
 * package.nls.json has the texts of package.json, by keys made of where they stand; media/l10n/bundle.l10n.json those of
 * `l10n.t(…)` in the code, which are their own keys. Beside each is its twin in every other language. --update writes the
 * two in English: a text put into package.json as it is moves to package.nls.json. What then lacks a translation is told;
 * without, the exit code tells whether all is there. The check itself is in translationCheck.mjs, and so is the glossary.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import ts from 'typescript';
import { root } from './commands.mjs';
import { withKeys, withTexts } from './manifestTexts.mjs';
import { problemsOfBundle, problemsOfManifest } from './translationCheck.mjs';

/** As the editor names them. */
export const languages = ['zh-cn'];

const files = {
  manifest: 'package.json',
  /** @param language undefined: English */
  manifestTexts: (language) => `package.nls.${language === undefined ? '' : `${language}.`}json`,
  bundle: (language) => `media/l10n/bundle.l10n.${language === undefined ? '' : `${language}.`}json`,
};

/** package.json as the editor sees it in a language. */
export function manifestIn(language) {
  const texts = {
    ...readJson(files.manifestTexts()),
    ...(language && readJson(files.manifestTexts(language))),
  };
  return withTexts(readJson(files.manifest), texts);
}

/**
 * What is wrong with the translations of the whole project, each in a line.
 * @param known the texts of the code, where they have been collected already
 */
export function problems(known) {
  const extracted = known ?? extract();
  const manifest = readJson(files.manifest);
  const texts = readJson(files.manifestTexts());
  return [
    ...problemsOfBundle(files.bundle(), { extracted, english: readJson(files.bundle()) }),
    ...problemsOfManifest(files.manifestTexts(), { manifest, english: texts }),
    ...languages.flatMap((language) => [
      ...problemsOfBundle(files.bundle(language), {
        extracted,
        translated: readJson(files.bundle(language)),
      }),
      ...problemsOfManifest(files.manifestTexts(language), {
        manifest,
        english: texts,
        translated: readJson(files.manifestTexts(language)),
      }),
    ]),
  ];
}

/** Returns every text of `l10n.t(…)` in the code that runs in the editor and in the pages, as a key of itself. */
export function extract() {
  const texts = {};
  const visit = (node) => {
    if (ts.isCallExpression(node) && /^(vscode\.)?l10n\.t$/.test(node.expression.getText())) {
      const [text] = node.arguments;
      if (ts.isStringLiteralLike(text)) texts[text.text] = text.text;
    }
    ts.forEachChild(node, visit);
  };
  for (const file of globSync('src/*/{core,editor,webview}/**/*.{ts,tsx}', { cwd: root })) {
    const code = readFileSync(path.join(root, file), 'utf8');
    if (code.includes('l10n.t(')) visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
  }
  return texts;
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}

function writeJson(file, value) {
  writeFileSync(path.join(root, file), `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Writes package.json with keys in place of texts, and the texts; translations of what says something else now go. */
export function writeManifest(manifest) {
  const before = readJson(files.manifestTexts());
  const { keyed, texts } = withKeys(manifest, before);
  writeJson(files.manifest, keyed);
  writeJson(files.manifestTexts(), texts);
  const same = Object.keys(texts).filter((key) => before[key] === texts[key]);
  for (const language of languages) {
    const file = files.manifestTexts(language);
    writeJson(file, inOrder(same, readJson(file)));
  }
}

const sorted = (texts) => Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)));

/** @returns the texts of the code */
function update() {
  writeManifest(readJson(files.manifest));
  const extracted = extract();
  const bundle = sorted(extracted);
  writeJson(files.bundle(), bundle);
  for (const language of languages) {
    writeJson(files.bundle(language), inOrder(Object.keys(bundle), readJson(files.bundle(language))));
  }
  return extracted;
}

/** Those of the texts that are still wanted. */
function inOrder(keys, texts) {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(texts, key) ? [[key, texts[key]]] : [])));
}

if (process.argv[1] === import.meta.filename) {
  const found = problems(process.argv.includes('--update') ? update() : undefined);
  for (const problem of found) console.error(problem);
  if (found.length > 0) process.exitCode = 1;
}
