// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// Which variant of an HLS stream is to be read on, by the caps and by what the network is seen to
/// carry while the stream is read.
///
/// A variant may take 70 % of that. It is left when it takes more than 90 %, so that small changes
/// move nothing; and a higher one is taken when the network has carried it twice in a row, since to
/// take it too early stops the film, and too late does not.
struct VariantChoice {
    /// A variant as the playlist tells of it.
    struct Variant: Equatable {
        /// Bits a second at its peak.
        var bandwidth: Int
        /// Pixels, 0 where the playlist does not say.
        var width = 0
        var height = 0
        /// `CODECS`, as far as decoders have to be others for another: `avc1,mp4a`.
        var codecs = ""
        var averageBandwidth = 0
    }

    /// From low to high. Empty for everything that offers none.
    private(set) var variants: [Variant]
    private(set) var current: Variant?
    var preference: VariantPreference
    private var last = TransferMonitor.Statistics()
    /// How often in a row the network has carried more.
    private var carried = 0

    /// Of what a network carries, a stream may take the first, and is left above the second:
    /// ExoPlayer's `DEFAULT_BANDWIDTH_FRACTION`, and midway from there to all of it.
    private static let (usable, most) = (0.7, 0.9)
    /// What has to have come to tell anything.
    private static let sample = 1 << 16

    /// - Parameter variants: those among which there is a choice. Those that say to have other
    ///   codecs than the current one are none: its decoders would not do.
    init(_ variants: [Variant], current: Variant?, preference: VariantPreference) {
        self.current = current
        self.preference = preference
        self.variants = variants.filter { variant in
            guard let current else { return false }
            return current.codecs.isEmpty || variant.codecs.isEmpty
                || variant.codecs == current.codecs
        }.sorted { $0.bandwidth < $1.bandwidth }
    }

    var isChoice: Bool { variants.contains { $0.bandwidth != current?.bandwidth } }

    /// The variant to go on with; nil to stay.
    mutating func next(after statistics: TransferMonitor.Statistics, isRemote: Bool) -> Variant? {
        guard isChoice, let current else { return nil }
        let passing = variants.filter { $0.passes(preference) }
        var candidates = passing.isEmpty ? Array(variants.prefix(1)) : passing
        if isRemote, preference.followsThroughput {
            guard let rate = rate(since: statistics) else {
                return candidates.contains(current) ? nil : candidates.last
            }
            let usable = candidates.filter { Double($0.bandwidth) <= rate * Self.usable }
            candidates = usable.isEmpty ? Array(candidates.prefix(1)) : usable
            if let best = candidates.last, best.bandwidth > current.bandwidth {
                carried += 1
                guard carried > 1 else { return nil }
            } else if Double(current.bandwidth) <= rate * Self.most, passing.contains(current) {
                carried = 0
                return nil
            }
        }
        guard let best = candidates.last, best.bandwidth != current.bandwidth else { return nil }
        return best
    }

    /// Bits a second that have come in since the last time, while they were waited for; nil if too
    /// few have come to tell.
    private mutating func rate(since statistics: TransferMonitor.Statistics) -> Double? {
        let bytes = statistics.byteCount - last.byteCount
        guard bytes >= Self.sample else { return nil }
        let seconds = (statistics.waitingTime - last.waitingTime).seconds
        last = statistics
        return Double(bytes) * 8 / max(seconds, 1e-6)
    }

    /// It has been switched.
    mutating func take(_ variant: Variant) {
        current = variant
        carried = 0
    }

    /// It cannot be read, or not by these decoders.
    mutating func drop(_ variant: Variant) {
        variants.removeAll { $0 == variant }
        carried = 0
    }
}

extension VariantChoice.Variant {
    func passes(_ preference: VariantPreference) -> Bool {
        func fits(_ value: Int, _ cap: Int) -> Bool { cap <= 0 || value <= cap }
        return fits(bandwidth, preference.peakBitRate) && fits(width, preference.maximumWidth)
            && fits(height, preference.maximumHeight)
    }
}
