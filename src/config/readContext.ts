import { compose } from './compose.ts';
import type { ConfigContext, ConfigSurroundings } from './context.ts';
import type { Dialect } from './dialect.ts';
import { collectFacts } from './facts.ts';
import type { ConfigDocument } from './parse.ts';

/** Reads what is around a config. Never throws for what is in a text; rejects when a file is there but unreadable. */
export async function readContext(
  document: ConfigDocument,
  dialect: Dialect,
  surroundings: ConfigSurroundings,
): Promise<ConfigContext> {
  const composition = await compose({ ...surroundings, text: document.text, document, dialect });
  const facts = await collectFacts({ document, dialect, composition, surroundings });
  return { document, dialect, file: surroundings.file, composition, facts };
}
