import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a port of this machine that can be cut, or made to swallow whatever is sent, both ways. */
export interface BadNetwork {
  readonly port: number;
  /** Connections that were made through it. */
  readonly made: number;
  /** Connections that were cut because they had carried as much as {@link cutAfter} said. */
  readonly cuts: number;
  /** Ends all connections. */
  cut(): void;
  /** From now on nothing of the connections that are open comes through, and neither side is told. */
  swallow(): void;
  /** Each connection is cut once it has carried so many bytes to the client; asked for each one. */
  cutAfter: (() => number) | undefined;
  /** Each connection is cut once it has carried so many bytes to the host. */
  cutAfterSent: number;
  /** Of each connection nothing comes to the client after so many bytes, and neither side is told. */
  swallowAfter: number;
  close(): Promise<void>;
}

export async function badNetwork(target: number): Promise<BadNetwork> {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let made = 0;
  let cuts = 0;
  const network: Pick<BadNetwork, 'cutAfter' | 'cutAfterSent' | 'swallowAfter'> = {
    cutAfter: undefined,
    cutAfterSent: Infinity,
    swallowAfter: Infinity,
  };
  const server: Server = createServer((near) => {
    made += 1;
    const far = connect(target, '127.0.0.1');
    const pair = { near, far };
    pairs.add(pair);
    let left = network.cutAfter?.() ?? Infinity;
    let wanted = network.swallowAfter;
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    far.on('data', (bytes) => {
      left -= bytes.length;
      wanted -= bytes.length;
      if (wanted >= 0) near.write(bytes);
      if (left >= 0 || !pairs.has(pair)) return;
      cuts += 1;
      end();
    });
    let mayBeSent = network.cutAfterSent;
    near.on('data', (bytes) => {
      far.write(bytes);
      mayBeSent -= bytes.length;
      if (mayBeSent >= 0 || !pairs.has(pair)) return;
      cuts += 1;
      // The other side still receives what was sent before the cut.
      pairs.delete(pair);
      near.destroy();
      far.end();
    });
    near.on('drain', () => far.resume());
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get made() {
      return made;
    },
    get cuts() {
      return cuts;
    },
    cut: () => {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
    },
    swallow: () => {
      for (const { near, far } of pairs) {
        for (const socket of [near, far]) {
          socket.removeAllListeners('data');
          socket.resume();
        }
      }
    },
    get cutAfter() {
      return network.cutAfter;
    },
    set cutAfter(choose) {
      network.cutAfter = choose;
    },
    get cutAfterSent() {
      return network.cutAfterSent;
    },
    set cutAfterSent(bytes) {
      network.cutAfterSent = bytes;
    },
    get swallowAfter() {
      return network.swallowAfter;
    },
    set swallowAfter(bytes) {
      network.swallowAfter = bytes;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await closed;
    },
  };
}
