/** Files of other tools, in each of whose fields stands what a model may say to get out of it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hostileTexts } from './hostileTexts.ts';

/** The formats that can be imported. */
const importFormats = [
  'trinity-db',
  'trinity-lines',
  'ajet-trajectory',
  'beast-log',
  'verifiers',
  'otlp',
  'openai-log',
] as const;
export type ImportFormat = (typeof importFormats)[number];

const text = (id: number): string => hostileTexts[id % hostileTexts.length] ?? '';
const all = hostileTexts.map((_, id) => id);

const called = (id: number): object => ({
  id: text(id),
  type: text(id + 1),
  function: { name: text(id), arguments: text(id + 2) },
});

const messages = all.map((id) => ({
  role: ['system', 'user', 'assistant', 'tool', text(id)][id % 5],
  content: id % 7 === 0 ? [{ type: text(id), text: text(id + 1) }, text(id + 2)] : text(id),
  ...(id % 5 === 2 && { tool_calls: [called(id)] }),
  ...(id % 5 === 3 && { tool_call_id: text(id) }),
}));

const json = (value: unknown): string => JSON.stringify(value);

const trajectory = (): string =>
  json({
    task_id: text(20),
    task_tag: text(21),
    reward_structure: { raw_reward: 1, metadata: Object.fromEntries(all.map((id) => [text(id), id])) },
    traj: [messages, messages.slice(0, 9)],
  });

const trinityLines = (): string =>
  all
    .map((id) =>
      json({
        eid: { batch: text(id), task: text(id % 40), run: text(id), step: 0, suffix: text(id) },
        type: 'multi_turn',
        prompt_length: 3,
        metrics: { [text(id)]: 1 },
        messages: messages.slice(id, id + 6),
        tools: [called(id)],
        truncate_status: text(id),
        reward: id,
      }),
    )
    .join('\n');

const openAi = (): string =>
  all
    .map((id) =>
      json({
        session_id: text(id % 40),
        request: {
          model: text(id),
          [text(id)]: text(id + 1),
          messages: messages.slice(id, id + 6),
          tools: [called(id)],
        },
        response: {
          model: text(id + 1),
          choices: [
            {
              finish_reason: text(id),
              message: { role: 'assistant', content: text(id), tool_calls: [called(id)] },
            },
          ],
        },
        error: id % 9 === 0 ? text(id) : null,
      }),
    )
    .join('\n');

const attribute = (key: string, stringValue: string): object => ({ key, value: { stringValue } });

const otlp = (): string => {
  const spans = all.map((id) => ({
    traceId: `trace ${id % 30} ${text(id % 30)}`,
    spanId: text(id),
    parentSpanId: id < 30 ? '' : text(id - 30),
    name: text(id),
    startTimeUnixNano: String(1.79e18 + id * 1e9),
    endTimeUnixNano: String(1.79e18 + id * 1e9 + 5e8),
    status: { code: id % 4 === 0 ? 2 : 1, message: text(id) },
    attributes: [
      attribute('gen_ai.operation.name', 'chat'),
      attribute('gen_ai.request.model', text(id)),
      attribute('gen_ai.agent.name', text(id + 1)),
      attribute('gen_ai.evaluation.name', text(id + 2)),
      { key: 'gen_ai.evaluation.score.value', value: { doubleValue: id } },
      attribute('gen_ai.tool.definitions', json([called(id)])),
      attribute(text(id), text(id + 1)),
      attribute(
        'gen_ai.input.messages',
        json([{ role: text(id), parts: [{ type: 'text', content: text(id) }, { type: text(id) }] }]),
      ),
      attribute(
        'gen_ai.output.messages',
        json([
          {
            role: 'assistant',
            parts: [
              { type: 'text', content: text(id) },
              { type: 'tool_call', id: text(id), name: text(id), arguments: text(id) },
            ],
          },
        ]),
      ),
    ],
  }));
  const resource = { attributes: [attribute('service.name', text(30))] };
  return json({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
};

const verifiers = (): string =>
  all
    .slice(0, 60)
    .map((id) => {
      const nodes = all.slice(0, 12).map((step) => ({
        parent: step === 0 ? null : step - 1,
        message: { role: step % 2 === 0 ? 'user' : 'assistant', content: text(id * 5 + step) },
        sampled: step % 2 === 1,
        token_ids: [1, 2],
        mask: [false, step % 2 === 1],
        logprobs: [-1, -2],
      }));
      return json({
        id: text(id),
        env: { id: text(id) },
        task: { key: text(id), data: { question: text(id), [text(id)]: text(id + 1) } },
        errors: id % 5 === 0 ? [{ type: text(id), message: text(id + 1) }] : [],
        traces: [
          {
            id: text(id),
            agent: { name: text(id) },
            nodes,
            rewards: { [text(id)]: { score: 1 } },
            metrics: { [text(id + 1)]: 2 },
          },
        ],
      });
    })
    .join('\n');

const beastLog = (): string =>
  all
    .slice(0, 40)
    .map((id) => {
      const pieces = ['<|im_start|>', text(id), '\n', text(id + 1), '<|im_end|>', '\n', text(id + 2)];
      const content = {
        text: pieces,
        title: pieces.map((_, at) => text(id + at)),
        count: pieces.map((_, at) => at + 7 * id),
        color: pieces.map((_, at) => (at % 2 === 0 ? '#09ABCF' : text(id))),
      };
      const nested = { [text(id)]: { content, raw_reward: '0.5', outcome: '1' } };
      const line = `2026-01-01 00:00:${String(id).padStart(2, '0')}.000 | INFO | rollout`;
      return `${line}\n${json({ header: `[1] Task ${text(id)} (Reward 1)`, nested_json: nested })}`;
    })
    .join('\n');

/** A pickle of an experience whose fields are texts, and one that would run a program. */
function trinity(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(
    'CREATE TABLE "<b>x</b>" (id INTEGER PRIMARY KEY, task_id TEXT, run_id TEXT, msg_id TEXT, reward REAL, experience_bytes BLOB)',
  );
  const insert = database.prepare('INSERT INTO "<b>x</b>" VALUES (?, ?, ?, ?, ?, ?)');
  for (const id of all.slice(0, 120)) {
    // SQLite ends a text at NUL, and takes no half characters.
    const clean = text(id)
      .replaceAll('\0', '')
      .replaceAll(/\p{Surrogate}/gu, '');
    insert.run(id, clean, String(id % 4), clean, id, id % 10 === 9 ? malicious : experience(id));
  }
  database.close();
}

/** `os.system("touch …")`, as any pickle may have Python do. */
const malicious = Buffer.from('cos\nsystem\nX\u001d\0\0\0touch /tmp/agentjet-unpickled\u0085R.', 'latin1');

function experience(id: number): Buffer {
  const unicode = (value: string): Buffer => {
    const bytes = Buffer.from(value, 'utf8');
    const head = Buffer.alloc(5);
    head[0] = 0x58; // BINUNICODE
    head.writeUInt32LE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };
  const pair = (name: string, value: Buffer): Buffer[] => [unicode(name), value];
  const message = (at: number): Buffer =>
    Buffer.concat([
      Buffer.from('}('),
      ...pair('role', unicode(at % 2 === 0 ? 'user' : 'assistant')),
      ...pair('content', unicode(text(id + at))),
      Buffer.from('u'),
    ]);
  return Buffer.concat([
    Buffer.from('ctrinity.common.experience\nExperience\n)R}('),
    ...pair('prompt_text', unicode(text(id))),
    ...pair('response_text', unicode(text(id + 1))),
    ...pair('metrics', Buffer.concat([Buffer.from('}('), unicode(text(id)), Buffer.from('K\u0001u')])),
    ...pair('messages', Buffer.concat([Buffer.from(']('), message(0), message(1), Buffer.from('e')])),
    Buffer.from('ub.'),
  ]);
}

const texts: Readonly<Record<Exclude<ImportFormat, 'trinity-db'>, () => string>> = {
  'ajet-trajectory': trajectory,
  'beast-log': beastLog,
  verifiers,
  otlp,
  'openai-log': openAi,
  'trinity-lines': trinityLines,
};

/** Writes a hostile file of each format, under a name that is one, too; by format. */
export function writeHostileImports(folder: string): ReadonlyMap<ImportFormat, string> {
  return new Map(
    importFormats.map((format) => {
      const own = path.join(folder, format);
      mkdirSync(own);
      const file = path.join(own, '<img src=x onerror=alert(1)>\u202e.txt');
      if (format === 'trinity-db') trinity(file);
      else writeFileSync(file, texts[format]());
      return [format, file];
    }),
  );
}
