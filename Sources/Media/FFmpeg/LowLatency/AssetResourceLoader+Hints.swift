// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// Parts and headers that the server of a low-latency stream announces (`EXT-X-PRELOAD-HINT`). They
/// are requested together with the playlist, so that a part arrives with the playlist that lists
/// it. The access rules apply to them as to everything that is opened.
extension AssetResourceLoader {
    /// A resource that was announced by a playlist.
    struct EarlyRequest {
        /// The address under which FFmpeg has loaded the playlist.
        let playlist: String
        let hint: PartPlaylist.Hint
        let address: HTTPAddress?
        /// The request; nil if it was refused.
        let exchange: HTTPExchange?
    }

    /// Requests what a playlist announces, and cancels requests for what it announces no longer.
    func requestHints(of playlist: String) throws(MediaError) {
        cancelHints(of: playlist)
        for hint in reading.parts[playlist]?.nextHints ?? []
        where !early.contains(where: { $0.playlist == playlist && $0.hint == hint }) {
            try countOpen()
            let address = HTTPAddress(hint.address)
            var (exchange, failure): (HTTPExchange?, MediaError?)
            do throws(MediaError) {
                exchange = try requestFromNetwork(address, hint)
            } catch {
                if violation != nil || interrupt.isTriggered { throw error }
                failure = error
            }
            early.append(
                EarlyRequest(
                    playlist: playlist, hint: hint, address: address, exchange: exchange))
            options.accessObserver?(
                AssetAccess(subject: hint.address, depth: max(listCount, 1), error: failure))
        }
    }

    private func cancelHints(of playlist: String) {
        guard let known = reading.parts[playlist] else { return }
        let hints = known.nextHints
        early.removeAll { request in
            guard request.playlist == playlist, !hints.contains(request.hint),
                !known.isListed(request.hint)
            else { return false }
            if let address = request.address, let exchange = request.exchange {
                network.discard(exchange, with: address)
            }
            return true
        }
    }

    private func requestFromNetwork(
        _ address: HTTPAddress?, _ hint: PartPlaylist.Hint
    ) throws(MediaError) -> HTTPExchange {
        guard let address else {
            throw MediaError(
                .notAllowed, subject: hint.address.printableAddress,
                cause: "it is not an HTTP address")
        }
        try admitNetwork(address)
        return try network.requestChild(address, from: hint.start, to: hint.end)
    }

    /// Removes and returns the request for a range of bytes that was sent before.
    func takeEarlyRequest(
        _ address: HTTPAddress, from start: Int64, to end: Int64?
    ) -> HTTPExchange? {
        let index = early.firstIndex {
            $0.exchange != nil && $0.address == address && $0.hint.start == start
                && ($0.hint.end == nil || $0.hint.end == end)
        }
        return index.flatMap { early.remove(at: $0).exchange }
    }
}
