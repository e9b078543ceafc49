// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport
import PlayheadAssets

/// A demuxer that is counted as long as it is open.
final class CountedDemuxer: ForwardingDemuxer {
    let base: any Demuxer
    private let open: OpenCounter

    init(_ base: any Demuxer, _ open: OpenCounter) {
        self.base = base
        self.open = open
        open.note()
    }

    deinit { open.remove() }
}
