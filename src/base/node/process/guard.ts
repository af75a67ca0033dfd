/**
 * A guard over one process tree: however this process ends, SIGKILL included, the tree is killed. It is a shell that
 * waits for its standard input to close, which the kernel does when this process ends: no polling, about 1 MB, and
 * start-up costs no more than a fork. Windows needs none: there Node's children that are not detached belong to a job
 * that ends with their parent.
 */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { toDisposable, type Disposable } from '../../core/disposable.ts';

/**
 * $1 is the leader of the process group. A line on standard input means "let go"; its end without a line means that
 * the owner died. Then the leader's descendants are collected first (only Linux has /proc), since killing the group
 * would cut those that left it off from their parent. Shell built-ins only: slim images have no ps.
 */
const script = `
read -r _ && exit 0
tree=" $1 "
grew=1
while [ $grew = 1 ]; do
  grew=0
  for stat in /proc/[0-9]*/stat; do
    read -r line < "$stat" || continue
    pid=\${line%% *}
    rest=\${line##*) }
    rest=\${rest#* }
    parent=\${rest%% *}
    case $tree in
      *" $pid "*) ;;
      *" $parent "*) tree="$tree$pid " grew=1 ;;
    esac
  done
done
kill -s KILL -- "-$1" $tree
`;

/** Guards the group that `leader` leads until disposed; dispose it as soon as the leader has ended. */
export function guardTree(leader: number): Disposable {
  const shell = spawn('/bin/sh', ['-c', script, 'agentjet-guard', String(leader)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // a terminal's Ctrl-C must not end it before its owner
    env: {},
    cwd: '/',
  });
  // Without a shell there is no guard; the guarded process still sees its control channel close.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined); // the guard has ended already: nothing to tell it
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref(); // it would keep this process alive
  return toDisposable(() => shell.stdin.end('\n'));
}
