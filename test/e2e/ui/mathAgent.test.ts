/** What people do with an example, one after the other in one window. */
import './mathAgent/commands.ts';
import './mathAgent/f5.ts';
import './mathAgent/config.ts';
import './mathAgent/compare.ts';
import './mathAgent/focus.ts';
// Last: F5 then starts what its last test has selected.
import './mathAgent/starting.ts';
