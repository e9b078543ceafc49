// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// A selector of the variant of an HLS stream. It uses the caller's limits and the bandwidth that
/// is measured while the stream is read.
///
/// A variant may use 70 % of the bandwidth. It is replaced by a lower variant when it uses more
/// than 90 %, so that small changes have no effect. A higher variant is selected when the bandwidth
/// was sufficient twice in a row. The delay is safe: a switch to a higher variant that comes too
/// early stalls playback, but one that comes too late does not.
struct VariantChoice {
    /// The attributes of a variant in the playlist.
    struct Variant: Equatable {
        /// The peak bit rate in bits per second.
        var bandwidth: Int
        /// The width in pixels; 0 if it is not stated.
        var width = 0
        var height = 0
        /// The value of `CODECS`, reduced to the parts whose change requires other decoders:
        /// `avc1,mp4a`.
        var codecs = ""
        var averageBandwidth = 0
    }

    /// The variants from the lowest to the highest; empty for a source without variants.
    private(set) var variants: [Variant]
    private(set) var current: Variant?
    var preference: VariantPreference
    private var last = TransferMonitor.Statistics()
    /// The number of consecutive times that the bandwidth was sufficient for a higher variant.
    private var carried = 0

    /// The fraction of the bandwidth up to which a variant is selected, and the fraction above
    /// which it is replaced. They are ExoPlayer's `DEFAULT_BANDWIDTH_FRACTION`, and the middle
    /// between that value and 1.
    private static let (usable, most) = (0.7, 0.9)
    /// The minimum number of bytes for a measurement.
    private static let sample = 1 << 16

    /// Creates a choice.
    ///
    /// - Parameter variants: The variants of the playlist. Variants whose codecs differ from those
    ///   of the current variant are excluded, because the current decoders could not decode them.
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

    /// Returns the variant to switch to; nil to stay with the current variant.
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

    /// Returns the bit rate since the last call, measured while waiting for data. Returns nil if
    /// there was too little data.
    private mutating func rate(since statistics: TransferMonitor.Statistics) -> Double? {
        let bytes = statistics.byteCount - last.byteCount
        guard bytes >= Self.sample else { return nil }
        let seconds = (statistics.waitingTime - last.waitingTime).seconds
        last = statistics
        return Double(bytes) * 8 / max(seconds, 1e-6)
    }

    /// Records that the stream has switched to a variant.
    mutating func take(_ variant: Variant) {
        current = variant
        carried = 0
    }

    /// Replaces the variants by those of another period, to which the bandwidth applies as well.
    mutating func replace(_ variants: [Variant], current: Variant?) {
        let last = last
        self = VariantChoice(variants, current: current, preference: preference)
        self.last = last
    }

    /// Removes a variant that cannot be read or decoded.
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
