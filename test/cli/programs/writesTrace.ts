/** `FILE JOURNAL COUNT`: writes episodes as fast as it can and tells the number of each once it is written: pipes take it at once. */
import process from 'node:process';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { longRun, writeEpisode } from './traceEpisodes.ts';

const [file = '', journal, count] = process.argv.slice(2);
const writer = openTraceWriter(file, longRun, journal === 'delete' ? 'delete' : 'wal');
for (let episode = 0; episode < Number(count); episode++) {
  writeEpisode(writer, episode);
  process.stdout.write(`${episode}\n`);
}
writer.runEnded({ status: 'completed', error: null, endedAt: Date.now() });
process.stdout.write('ended\n');
