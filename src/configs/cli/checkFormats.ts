import { styleText } from 'node:util';
import { escapeControlCharacters, withoutControl } from '../../base/core/visibleText.ts';
import type { Finding, Fix } from '../core/finding.ts';
import type { Severity } from '../core/rules/ruleEntry.ts';
import type { TextEdit, TextRange } from '../core/text.ts';
import type { CheckedFile } from './checkFile.ts';

/** Hints are for editors, which show them quietly; elsewhere they count as information. */
const outwardSeverity: Readonly<Record<Severity, 'error' | 'warning' | 'info'>> = {
  error: 'error',
  warning: 'warning',
  information: 'info',
  hint: 'info',
};

const colours = { error: 'red', warning: 'yellow', info: 'cyan' } as const;

/** Turns checked files into text one after the other, so that none has to be kept until the end. */
export interface CheckOutput {
  file(checked: CheckedFile): string;
  /** Returns the text after the last file. */
  end(): string;
}

/** One line per finding, as compilers write them, and a summary. Texts of files have no control characters. */
export function textOutput(colour: boolean): CheckOutput {
  const count = { error: 0, warning: 0, info: 0, configs: 0, others: 0 };
  return {
    file: (file) => {
      if (file.error !== undefined) return '';
      if (file.dialect === null) {
        count.others += 1;
        return file.named
          ? `${escapeControlCharacters(file.name)}: not a config of AgentJet or Trinity-RFT, not checked\n`
          : '';
      }
      count.configs += 1;
      for (const { severity } of file.findings) count[outwardSeverity[severity]] += 1;
      return file.findings.map((found) => `${line(file, found, colour)}\n`).join('');
    },
    end: () => (count.configs + count.others > 0 ? `${summary(count)}\n` : ''),
  };
}

function line({ name }: CheckedFile, { range, severity, rule, message }: Finding, colour: boolean): string {
  const level = outwardSeverity[severity];
  const shown = colour ? styleText(colours[level], level, { validateStream: false }) : level;
  const where = `${escapeControlCharacters(name)}:${range.start.line + 1}:${range.start.character + 1}`;
  return `${where} ${shown} ${rule} ${withoutControl(message)}`;
}

type Counts = Readonly<Record<'error' | 'warning' | 'info' | 'configs' | 'others', number>>;

function summary({ error, warning, info, configs, others }: Counts): string {
  const found = [
    counted(error, 'error'),
    counted(warning, 'warning'),
    ...(info > 0 ? [`${info} information`] : []),
  ].join(', ');
  const leftAlone = others > 0 ? `; ${counted(others, 'other file')} not checked` : '';
  return `${found} in ${counted(configs, 'config')}${leftAlone}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

export function jsonOutput(): CheckOutput {
  let isFirst = true;
  return {
    file: (file) => {
      const start = isFirst ? '[' : ',';
      isFirst = false;
      // What a list of one is printed as, without its brackets.
      return `${start}${JSON.stringify([fileForJson(file)], null, 2).slice(1, -2)}`;
    },
    end: () => (isFirst ? '[]\n' : '\n]\n'),
  };
}

/** Lines and columns are 1-based, columns in UTF-16 units; ends are exclusive. */
function fileForJson({ name, dialect, findings, error }: CheckedFile): unknown {
  return {
    file: name,
    dialect,
    diagnostics: findings.map((found) => ({
      ...positionText(found.range),
      severity: outwardSeverity[found.severity],
      rule: found.rule,
      message: found.message,
      fixes: found.fixes.map((fix) => fixForJson(fix)),
    })),
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}

/** Edits are by offset in UTF-16 units, all of them in the text as it was checked. */
function fixForJson({ title, edits, writes }: Fix): unknown {
  const replaced = ({ span, newText }: TextEdit): unknown => ({ start: span.start, end: span.end, newText });
  return { title, edits: edits.map(replaced), ...(writes && { writes }) };
}

export function positionText({
  start,
  end,
}: TextRange): Record<'line' | 'column' | 'endLine' | 'endColumn', number> {
  return {
    line: start.line + 1,
    column: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
  };
}
