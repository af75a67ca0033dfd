import { pathToFileURL } from 'node:url';
import type { ErrorReport } from '../../base/core/errors.ts';
import type { PathRules } from '../../base/core/ports.ts';
import { type Finding, type Fix, ruleCatalog, type RuleId } from '../core/finding.ts';
import type { Severity } from '../core/rules/ruleEntry.ts';
import type { CheckedFile } from './checkFile.ts';
import { positionText, type CheckOutput } from './checkFormats.ts';

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  information: 'note',
  hint: 'note',
};

const ids = Object.keys(ruleCatalog) as RuleId[];
const root = 'SRCROOT';

export function sarifOutput(cwd: string, paths: PathRules): CheckOutput {
  const results: unknown[] = [];
  const notifications: unknown[] = [];
  return {
    file: (file) => {
      const location = artifact(file, cwd, paths);
      results.push(...file.findings.map((found) => resultOf(found, location)));
      if (file.error !== undefined) notifications.push(notificationOf(file.error, location));
      return '';
    },
    end: () => `${JSON.stringify(logOf(results, notifications, cwd), null, 2)}\n`,
  };
}

function logOf(results: readonly unknown[], notifications: readonly unknown[], cwd: string): unknown {
  const isWhole = notifications.length === 0;
  const invocation = {
    executionSuccessful: isWhole,
    ...(!isWhole && { toolExecutionNotifications: notifications }),
  };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'agentjet', rules: ids.map(ruleForSarif) } },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [root]: { uri: folderUri(cwd) } },
        invocations: [invocation],
        results,
      },
    ],
  };
}

function notificationOf({ message }: ErrorReport, artifactLocation: Artifact): unknown {
  return {
    level: 'error',
    message: { text: message },
    locations: [{ physicalLocation: { artifactLocation } }],
  };
}

function ruleForSarif(id: RuleId): unknown {
  const { title, severity, explanation } = ruleCatalog[id];
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: plain(explanation) },
    help: { text: plain(explanation), markdown: explanation },
    defaultConfiguration: { level: levels[severity] },
  };
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

type Artifact = ReturnType<typeof artifact>;

/** Below the working directory: relative to it, so that a log can be read on another machine. */
function artifact(
  { name, path }: CheckedFile,
  cwd: string,
  paths: PathRules,
): { uri: string; uriBaseId?: string } {
  if (path === undefined) return { uri: name };
  const base = folderUri(cwd);
  const uri = pathToFileURL(paths.resolve(cwd, path)).href;
  return uri.startsWith(base) ? { uri: uri.slice(base.length), uriBaseId: root } : { uri };
}

function folderUri(folder: string): string {
  return pathToFileURL(folder).href.replace(/\/?$/, '/');
}

function resultOf({ rule, severity, message, range, fixes }: Finding, artifactLocation: Artifact): unknown {
  const { line, column, endLine, endColumn } = positionText(range);
  const region = { startLine: line, startColumn: column, endLine, endColumn };
  const changing = fixes.filter(({ edits }) => edits.length > 0);
  return {
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    level: levels[severity],
    message: { text: message },
    locations: [{ physicalLocation: { artifactLocation, region } }],
    ...(changing.length > 0 && { fixes: changing.map((fix) => fixForSarif(fix, artifactLocation)) }),
  };
}

function fixForSarif({ title, edits }: Fix, artifactLocation: Artifact): unknown {
  const replacements = edits.map(({ span, newText }) => ({
    deletedRegion: { charOffset: span.start, charLength: span.end - span.start },
    ...(newText !== '' && { insertedContent: { text: newText } }),
  }));
  return { description: { text: title }, artifactChanges: [{ artifactLocation, replacements }] };
}
