import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import type { TraceCall, TraceReply } from '../../../src/traces/core/protocol/traceRpc.ts';
import { viewerAddress, viewerPage, type ViewerPageOptions } from '../../../src/traces/core/viewerPage.ts';
import { createTraceClient, isTraceReply } from '../../../src/traces/webview/transport/transport.ts';

const options: ViewerPageOptions = {
  nonce: 'abc123==',
  cspSource: 'https://*.vscode-cdn.net',
  scriptUri: 'https://host/trace.js?a=1&b=2',
  styleUri: 'https://host/trace.css',
  boot: { trace: '/runs/</script><script>alert(1)</script>.ajtrace', transport: 'vscode' },
};

/** The page's policy by directive. */
function policyOf(page: string): Map<string, string> {
  const content = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  return new Map(
    content.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

describe('the page', () => {
  test('allows its own script and style and nothing else', () => {
    const policy = policyOf(viewerPage(options));
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'script-src': "'nonce-abc123=='",
      'style-src': 'https://*.vscode-cdn.net',
      'base-uri': "'none'",
      'form-action': "'none'",
      'img-src': 'data:',
    });
  });

  test('asks its own server only in a browser', () => {
    const page = viewerPage({ ...options, cspSource: "'self'", boot: { trace: '/a', transport: 'http' } });
    expect(policyOf(page).get('connect-src')).toBe("'self'");
    expect(page).not.toMatch(/unsafe|style="/);
  });

  test('cannot be broken out of by the name of a trace', () => {
    const page = viewerPage(options);
    expect(page.match(/<script/g)).toHaveLength(2);
    const data = /<script type="application\/json"[^>]*>([^<]*)<\/script>/.exec(page)?.[1] ?? '';
    expect(JSON.parse(data)).toEqual(options.boot);
    expect(page).toContain('src="https://host/trace.js?a=1&amp;b=2"');
  });

  test('names its language, and cannot be broken out of by a translation', () => {
    const texts = { language: 'zh-cn', bundle: { Run: '</script><script>alert(1)</script>' } };
    const page = viewerPage({ ...options, boot: { ...options.boot, texts } });
    expect(page).toContain('<html lang="zh-CN"');
    expect(page.match(/<script/g)).toHaveLength(2);
  });

  test('is opened with the token where no server sees it', () => {
    expect(viewerAddress('http://127.0.0.1:4711', 'a+b/c=')).toBe(
      'http://127.0.0.1:4711/#token=a%2Bb%2Fc%3D',
    );
  });
});

describe('the client', () => {
  function connected() {
    const sent: TraceCall[] = [];
    let reply: (reply: TraceReply) => void = () => undefined;
    const client = createTraceClient({
      send: (call) => sent.push(call),
      onReply: (listener) => (reply = listener),
    });
    return { client, sent, reply: (message: TraceReply) => reply(message) };
  }

  test('joins replies to requests in whatever order they come', async () => {
    const { client, sent, reply } = connected();
    const run = client.ask('run', { trace: '/t' });
    const watch = client.ask('watch', { trace: '/t' });
    expect(sent.map(({ request }) => request)).toEqual([
      { method: 'run', trace: '/t' },
      { method: 'watch', trace: '/t' },
    ]);
    reply({ id: sent[1]?.id ?? -1, result: null });
    reply({ id: sent[0]?.id ?? -1, result: { experiment: 'e' } });
    expect(await watch).toBeNull();
    expect(await run).toEqual({ experiment: 'e' });
  });

  test('rejects with what the server reports', async () => {
    const { client, sent, reply } = connected();
    const run = client.ask('run', { trace: '/t' });
    reply({ id: sent[0]?.id ?? -1, error: { code: 'trace/bad', message: 'Bad.', hint: 'Good.' } });
    await expect(run).rejects.toThrow(CodedError);
    await expect(run).rejects.toMatchObject({ code: 'trace/bad', hint: 'Good.' });
  });

  test('tells of changes until it is told not to', () => {
    const { client, reply } = connected();
    const changed: string[] = [];
    const listening = client.onChanged((trace) => changed.push(trace));
    reply({ notice: 'changed', trace: '/t' });
    listening.dispose();
    reply({ notice: 'changed', trace: '/u' });
    expect(changed).toEqual(['/t']);
  });

  test.each([null, 'text', {}, { id: 1 }, { id: 'x', result: 1 }, { notice: 'other' }])(
    '%j is no reply',
    (value) => {
      expect(isTraceReply(value)).toBe(false);
    },
  );
});
