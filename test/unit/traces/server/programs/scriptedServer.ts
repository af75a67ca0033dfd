/** The trace server's door over standard streams with one scripted trace: reading a call kills it, an episode changes it. */
import process from 'node:process';
import { systemClock } from '../../../../../src/base/node/clock.ts';
import { TraceService, serveOverStreams } from '../../../../../src/traces/node/server/service.ts';
import { ScriptedTrace, scriptedFiles } from '../scriptedFiles.ts';

const trace = new ScriptedTrace();
trace.views = {
  call: () => process.exit(7),
  lines: () => {
    process.stderr.write('busy\n');
    for (;;);
  },
  episode: () => {
    trace.changes += 1;
    return null;
  },
};
const service = new TraceService(scriptedFiles({ '/a.ajtrace': trace }), systemClock);
process.stderr.write('started\n');
await serveOverStreams(service, process.stdin, process.stdout);
process.exit(0);
