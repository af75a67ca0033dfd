/** `FILE`: tells, as JSON, what a reader sees of a trace, or the code of its error. */
import process from 'node:process';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';

function look(file: string): unknown {
  try {
    const reader = openTraceReader(file);
    const { totals, live } = reader.read((views) => views.run());
    const { rows } = reader.read((views) => views.episodes(0, 3));
    const told = {
      ended: totals.ended,
      live,
      first: rows[0]?.query,
      state: reader.read((views) => views.summary()).state,
    };
    reader.close();
    return told;
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? error.code : String(error) };
  }
}

process.stdout.write(JSON.stringify(look(process.argv[2] ?? '')));
