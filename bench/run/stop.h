// Whether the run has to end early: Ctrl-C, SIGTERM, or an output that cannot be written any more.
// Looked at between calls, so that the call under way ends as always and leaves the store whole.

#pragma once

namespace shopmark::bench {

// From here on the first SIGINT or SIGTERM asks the run to stop; a second one kills.
void stop_on_signals();

void request_stop();
bool stop_requested();

}  // namespace shopmark::bench
