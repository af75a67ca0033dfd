import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/base/random.ts';
import { encodeChunk } from '../../../../src/protocol/host/wire.ts';
import { HostSession } from '../../../../src/remote/wire/hostSession.ts';
import type { WireSocket } from '../../../../src/remote/wire/wireSocket.ts';
import { ScriptedServices } from '../../../tools/host/scriptedServices.ts';
import { FakeClock } from '../../fakeClock.ts';
import { fuzz } from '../../fuzz.ts';
import { hello, noisyRequest } from './noise.ts';

describe('a session', () => {
  it('survives whatever comes, and ends when it is too much', async () => {
    const { numRuns } = fuzz(3, 1_000_000);
    const random = new Random('frames');
    const scripted = new ScriptedServices();
    scripted.lines(50);
    const codes = new Map<number, number>();
    let frames = 0;
    while (frames < numRuns) {
      const socket = new MemorySocket();
      const session = newSession(socket, scripted);
      if (random.chance(0.95)) session.text(hello(1, 1));
      const most = 1 + random.below(400);
      for (let sent = 0; sent < most && socket.code === undefined; sent++) {
        sendNoise(session, random);
        frames += 1;
        if (random.chance(0.05)) await new Promise(setImmediate);
      }
      if (socket.code !== undefined) codes.set(socket.code, (codes.get(socket.code) ?? 0) + 1);
      session.closed();
      await new Promise(setImmediate);
      // What is told is small, whatever was sent.
      expect(socket.longest).toBeLessThan(20_000);
      expect(scripted.readers).toBe(0);
    }
    // Whoever sends no messages at all is disconnected, and so is who does not greet.
    expect([...codes.keys()].sort((a, b) => a - b)).toEqual([4400, 4408]);
    expect(scripted.open).toBe(0);
  });
});

/** Takes what a session sends, and tells that it left at once. */
class MemorySocket implements WireSocket {
  readonly buffered = 0;
  longest = 0;
  code: number | undefined;

  sendText(text: string | Uint8Array): void {
    expect(JSON.parse(Buffer.from(text).toString())).toMatchObject({ jsonrpc: '2.0' });
    this.longest = Math.max(this.longest, text.length);
  }

  sendBytes(bytes: Uint8Array): void {
    this.longest = Math.max(this.longest, bytes.length);
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  setReading(): void {
    // What a test sends is read in any case.
  }

  close(code: number): void {
    this.code = code;
  }
}

function newSession(socket: WireSocket, scripted: ScriptedServices): HostSession {
  return new HostSession(socket, {
    services: scripted.services,
    client: { name: 'x', scopes: new Set(['view', 'start', 'cancel']), connection: 'x' },
    clock: new FakeClock(),
    audit: () => undefined,
  });
}

/** A frame that is nearly one of the protocol, or nothing like it. */
function sendNoise(session: HostSession, random: Random): void {
  switch (random.below(100)) {
    case 0:
      session.bytes(Buffer.alloc(random.below(40), random.below(256)));
      return;
    case 1:
      session.text(hello(0, 9).slice(0, random.below(90)) + String.fromCharCode(random.below(300)));
      return;
    default:
      if (random.chance(0.5)) session.text(JSON.stringify(noisyRequest(random)));
      else {
        const bytes = Buffer.alloc(random.below(20));
        session.bytes(encodeChunk({ transfer: random.below(3), offset: random.below(9), bytes }));
      }
  }
}
