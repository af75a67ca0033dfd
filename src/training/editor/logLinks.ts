import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { dialectOf } from '../../configs/core/dialect.ts';
import { entryOf, type Entry } from '../../configs/core/node.ts';
import { parseConfig } from '../../configs/core/parse.ts';
import { logLinks, type LogLink } from '../core/logs/links.ts';
import type { HostClients } from './hostClients.ts';
import type { LogLinker } from './runLogs.ts';
import type { DispatchedRun, DispatchedRuns } from './dispatchedRuns.ts';

/** The number of lines to search for links, from the end of the log. */
const mostLines = 5_000;

export function createLogLinker(clients: HostClients, dispatchedRuns: DispatchedRuns): LogLinker {
  return (document, { host, run }) => {
    const record = clients.peek(host)?.run(run);
    const sent = record && dispatchedRuns.find(run, record.config);
    if (sent === undefined) return [];
    const config = readConfig(sent.config);
    const context = {
      run,
      config: config?.document.root,
      keys: config?.dialect?.keys(),
      sentFile: sentFiles(sent),
    };
    const found: vscode.DocumentLink[] = [];
    for (let line = Math.max(0, document.lineCount - mostLines); line < document.lineCount; line++) {
      for (const link of logLinks(document.lineAt(line).text, context)) {
        const target = targetOf(link.target, sent, config);
        if (target !== undefined) {
          found.push(new vscode.DocumentLink(new vscode.Range(line, link.start, line, link.end), target));
        }
      }
    }
    return found;
  };
}

/** Returns a function that finds a file of a log. A name without a folder is searched in the root and next to the config. */
function sentFiles({ root, config }: DispatchedRun): (file: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  const configFolder = path.relative(root, path.dirname(config)).split(path.sep).join('/');
  const find = (file: string): string | undefined => {
    if (file.split('/').includes('..')) return undefined;
    const places = file.includes('/') ? [file] : [file, path.posix.join(configFolder, file)];
    return places.find((place) => existsSync(path.join(root, place)));
  };
  return (file) => {
    if (!known.has(file)) known.set(file, find(file));
    return known.get(file);
  };
}

function readConfig(file: string) {
  try {
    const text = readFileSync(file, 'utf8');
    return { document: parseConfig(text), dialect: dialectOf(text) };
  } catch {
    return undefined; // the file was moved
  }
}

function targetOf(
  target: LogLink['target'],
  { root, config: file }: DispatchedRun,
  config: ReturnType<typeof readConfig>,
): vscode.Uri | undefined {
  if (target.kind === 'file') return at(path.join(root, target.path), target.line);
  let entry: Entry | undefined;
  for (const step of target.path) entry = entryOf(entry ? entry.value : config?.document.root, step);
  if (entry === undefined || config === undefined) return undefined;
  return at(file, config.document.lines.position(entry.keySpan.start).line + 1);
}

/** Returns a URI that opens at the line, which the editor reads from the fragment. */
function at(file: string, line: number): vscode.Uri {
  return vscode.Uri.file(file).with({ fragment: `L${line}` });
}
