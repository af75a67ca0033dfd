import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { nodeAt, type Node } from '../../config/node.ts';
import { parseConfig } from '../../config/parse.ts';
import { logLinks, type LogLink } from '../../remote/logs/links.ts';
import type { HostLinks } from './hostLinks.ts';
import type { LogLinker } from './runLogs.ts';
import type { SentRuns } from './sentRuns.ts';

/** Lines whose links are looked for: the editor shows the end of a log. */
const mostLines = 5_000;

/** Links of a run's log to the files that were sent, and to the keys of its config that an error names. */
export function logLinker(links: HostLinks, sentRuns: SentRuns): LogLinker {
  return async (document, { host, run }) => {
    const record = links.known(host)?.run(run);
    const sent = record && (await sentRuns.find(run, record.config));
    if (sent === undefined) return [];
    const config = readConfig(sent.config);
    const known = new Map<string, boolean>();
    const isSent = (file: string): boolean => {
      const before = known.get(file);
      if (before !== undefined) return before;
      const isThere = existsSync(path.join(sent.root, file)) && !file.split('/').includes('..');
      known.set(file, isThere);
      return isThere;
    };
    const found: vscode.DocumentLink[] = [];
    for (let line = Math.max(0, document.lineCount - mostLines); line < document.lineCount; line++) {
      for (const link of logLinks(document.lineAt(line).text, run, config?.root, isSent)) {
        const target = targetOf(link.target, sent, config);
        if (target !== undefined) {
          found.push(new vscode.DocumentLink(new vscode.Range(line, link.start, line, link.end), target));
        }
      }
    }
    return found;
  };
}

type Config = ReturnType<typeof parseConfig>;

function readConfig(file: string): Config | undefined {
  try {
    return parseConfig(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // moved meanwhile
  }
}

function targetOf(
  target: LogLink['target'],
  { root, config: file }: { readonly root: string; readonly config: string },
  config: Config | undefined,
): vscode.Uri | undefined {
  if (target.kind === 'file') return at(path.join(root, target.path), target.line);
  const node: Node | undefined = nodeAt(config?.root, target.path);
  if (node === undefined || config === undefined) return undefined;
  return at(file, config.lines.position(node.span.start).line + 1);
}

/** Opens at the line: the editor reads it from the fragment. */
function at(file: string, line: number): vscode.Uri {
  return vscode.Uri.file(file).with({ fragment: `L${line}` });
}
