import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { RayJobs } from '../../../../../src/training/node/host/ray/rayJobs.ts';

const order = { id: 'a-job', entrypoint: 'true', env: {}, workingDir: 'gcs://code.zip', metadata: {} };

/** Answers as a head does: the first times with these, then that the job is there. */
async function head(refusals: readonly string[]): Promise<{ address: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    const refusal = refusals[asked++];
    response.writeHead(refusal === undefined ? 200 : 500).end(refusal ?? '{"submission_id": "a-job"}');
    request.resume();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

test('a head that was just started is asked again until it has somebody to run jobs', async () => {
  const trace = 'Traceback (most recent call last):\n  …\n';
  const refusal = `${trace}Exception: No available agent to submit job, please try again later.\n`;
  const { address, asked } = await head([refusal, refusal]);
  await new RayJobs(address, undefined, 0).submit(order);
  expect(asked()).toBe(3);
});

test('what else it refuses is told', async () => {
  const { address, asked } = await head(['RuntimeError: no such package\n']);
  await expect(new RayJobs(address, undefined, 0).submit(order)).rejects.toMatchObject({
    code: 'host/ray',
    message: 'Ray rejected the request with status 500: RuntimeError: no such package',
  });
  expect(asked()).toBe(1);
});
