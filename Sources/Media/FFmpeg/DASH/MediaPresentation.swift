// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

/// The contents of an MPD (Media Presentation Description), as far as they concern playback.
///
/// Times are in microseconds. They are not negative, and small enough that sums of them do not
/// overflow.
///
/// - Concurrency: a value.
/// - Corresponds to: `MPD` of ISO/IEC 23009-1.
struct MediaPresentation {
    /// A Boolean value that indicates whether further segments will become available.
    var isLive = false
    var duration: Int64?
    /// The time at which the presentation's zero became available, in microseconds since 1970.
    var availabilityStart: Int64 = 0
    /// The time after which the MPD must be loaded again; nil if it does not change.
    var updatePeriod: Int64?
    /// The time for which segments stay available; nil if the MPD states none.
    var windowDepth: Int64?
    /// The recommended distance from the live edge.
    var delay: Int64?
    /// The sources of the server's time, by preference.
    var clocks: [Clock] = []
    /// The address at which the MPD should be loaded the next time, as stated.
    var location: String?
    /// The periods that can be played, in order.
    var periods: [Period] = []

    /// A source of the server's time.
    struct Clock: Hashable {
        var scheme: String
        var value: String
    }

    /// A part of the presentation with the same tracks throughout.
    struct Period {
        /// The name that a period keeps in later versions of the MPD; nil if it has none.
        var id: String?
        var start: Int64
        /// The end; nil if it is not known yet.
        var end: Int64?
        var sets: [AdaptationSet]

        /// The sets of a kind that can be played.
        func sets(of kind: AdaptationSet.Kind) -> [AdaptationSet] {
            sets.filter { $0.kind == kind }
        }
    }

    /// Versions of the same content, of which one is played.
    struct AdaptationSet {
        enum Kind { case video, audio, text }

        var kind: Kind
        var language: String?
        var label: String?
        /// The values of its roles and of its accessibility descriptors.
        var roles: Set<String> = []
        var representations: [Representation]

        /// A Boolean value that indicates whether it should be played rather than an alternative.
        var isMain: Bool { roles.isEmpty || roles.contains("main") }
    }

    /// A version of the content at a certain bit rate.
    struct Representation {
        var id: String
        var bandwidth: Int
        var width: Int
        var height: Int
        var codecs: String
        var segments: SegmentInformation
    }

    /// The beginnings of the periods that have identifiers.
    var periodStarts: [String: Int64] {
        Dictionary(periods.compactMap { period in period.id.map { ($0, period.start) } }) {
            first, _ in first
        }
    }

    /// The end of the last period; nil if it is not known yet.
    var end: Int64? { periods.last?.end }

    /// Returns the index of the period at a time; of the first period if the time is before it.
    func period(at time: Int64) -> Int { periods.lastIndex { $0.start <= time } ?? 0 }
}
