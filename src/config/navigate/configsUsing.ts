import type { ClassFinder, CodeSite } from '../classes.ts';
import { writtenNames, type WrittenName } from '../code/writtenLocators.ts';
import { dialectOf } from '../dialect.ts';
import { parseConfig } from '../parse.ts';
import type { TextRange } from '../text.ts';

/** A YAML file that may be a config. */
export interface ConfigText {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  /** Folder that training would be started in. */
  readonly cwd: string;
  /** Folder of the config. */
  readonly beside: string;
}

export interface ConfigUse {
  readonly file: string;
  /** Of the value that names the class. */
  readonly range: TextRange;
}

/**
 * The configs that name a workflow or a judge, by whatever locator leads to it, in the order of `texts`. Reads only the
 * texts that have its name in them.
 */
export async function configsUsing(
  site: CodeSite,
  texts: Iterable<ConfigText>,
  classes: ClassFinder,
): Promise<ConfigUse[]> {
  const uses: ConfigUse[] = [];
  for (const config of texts) {
    const dialect = mayName(config.text, site) ? dialectOf(config.text) : undefined;
    if (dialect === undefined) continue;
    const document = parseConfig(config.text);
    for (const name of writtenNames(document, dialect)) {
      if (!(await leadsTo(name, site, config, classes))) continue;
      uses.push({ file: config.file, range: document.lines.range(name.node.span) });
    }
  }
  return uses;
}

/** Where a class goes by another name elsewhere, some text still has an arrow in it. */
function mayName(text: string, { name, registered }: CodeSite): boolean {
  return (
    text.includes('->') || text.includes(name) || (registered !== undefined && text.includes(registered))
  );
}

async function leadsTo(
  { text, locator }: WrittenName,
  site: CodeSite,
  { cwd, beside }: ConfigText,
  classes: ClassFinder,
): Promise<boolean> {
  if (locator === undefined) return text === site.registered;
  const target = await classes.find(locator, cwd, beside);
  if (target.status !== 'found') return false;
  const { file, line, column } = target.site;
  return file === site.file && line === site.line && column === site.column;
}
