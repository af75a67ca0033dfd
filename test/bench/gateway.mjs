/** What the Model Tuner's gateway costs a call: its throughput over that of a bare proxy to the same server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { alternate, quantile } from './measure.mjs';

const runs = 9;
const atATime = 16;
const oneByOne = 100;

/** The proxy passes bytes on. The gateway parses each request and writes it again, which counts for long ones. */
const cases = [
  { name: 'gateway-1kb', bytes: 1_000, stream: false, requests: 1_000, target: 2 },
  { name: 'gateway-64kb', bytes: 64_000, stream: false, requests: 500, target: 2.5 },
  { name: 'gateway-1kb-streamed', bytes: 1_000, stream: true, requests: 400, target: 2 },
  { name: 'gateway-64kb-streamed', bytes: 64_000, stream: true, requests: 300, target: 2.5 },
];

export const gatewayBenches = cases.map((one) => ({
  name: one.name,
  metric: `ms of ${one.requests} requests of ${one.bytes / 1000} KB, ${atATime} at a time on kept connections${one.stream ? ', answers streamed' : ''}`,
  baselineName: 'a bare node:http proxy to the same server',
  target: one.target,
  measure: () => measure(one),
}));

async function measure({ bytes, stream, requests }) {
  const servers = [];
  const start = async (...args) => {
    const server = await startServer(args);
    servers.push(server.child);
    return server;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: atATime });
  try {
    const model = await start('model');
    const url = `http://127.0.0.1:${model.port}/v1/chat/completions`;
    const sides = { ours: await start('ours', url), baseline: await start('bare', url) };
    const body = JSON.stringify({
      model: 'm',
      stream,
      messages: [
        { role: 'system', content: 'You answer.' },
        { role: 'user', content: 'word '.repeat(bytes / 5).slice(0, bytes - 130) },
      ],
    });
    const load = (side) => () => timeOf(sides[side], { agent, body, stream, requests });
    for (const side of ['ours', 'baseline']) await load(side)(); // warm
    const samples = await alternate(runs, load('ours'), load('baseline'));
    const latency = async (side) => {
      const times = [];
      for (let call = 0; call < oneByOne; call++)
        times.push(await timeOfOne(sides[side], { agent, body, stream }));
      return quantile(times, 0.5);
    };
    const added = (await latency('ours')) - (await latency('baseline'));
    return { ...samples, note: `one at a time, the gateway adds ${added.toFixed(2)} ms at the median` };
  } finally {
    agent.destroy();
    for (const child of servers) child.kill('SIGKILL');
  }
}

async function startServer(args) {
  const program = path.join(import.meta.dirname, 'gatewayServer.mjs');
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, ...JSON.parse(line) };
}

async function timeOf(server, { requests, ...one }) {
  const start = performance.now();
  let left = requests;
  const lane = async () => {
    while (left-- > 0) await ask(server, one);
  };
  await Promise.all(Array.from({ length: atATime }, lane));
  return performance.now() - start;
}

async function timeOfOne(server, one) {
  const start = performance.now();
  await ask(server, one);
  return performance.now() - start;
}

function ask({ port, apiKey }, { agent, body, stream }) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${apiKey}`,
    };
    const options = { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers, agent };
    const asking = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => (text += part));
      answer.on('error', reject);
      answer.on('end', () => {
        const whole = stream ? text.includes('part 15') && text.includes('[DONE]') : text.includes('part 15');
        if (answer.statusCode === 200 && whole) resolve();
        else reject(new Error(`The answer was ${answer.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
