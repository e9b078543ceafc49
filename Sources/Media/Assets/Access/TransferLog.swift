// SPDX-License-Identifier: Apache-2.0

/// The log of an asset's transfer over a network: an entry for each variant that was read, and the
/// failures.
///
/// A server decides how often a variant changes and how many requests fail, so the log keeps only
/// the newest entries and failures, and short texts.
///
/// - Concurrency: a value.
package struct TransferLog: Sendable, Hashable {
    /// The transfer while one variant was read.
    package struct Entry: Sendable, Hashable {
        /// The address of the variant's playlist or of the file, without user and password.
        package var uri: String
        /// The time of the first request, in seconds since 1970.
        package var date: Double
        /// The IP address of the server that answered last; nil if it is not known.
        package var serverAddress: String?
        /// The number of times that another server answered.
        package var serverAddressChangeCount = 0
        /// The number of requests that a server has answered.
        package var requestCount = 0
        /// The number of bytes received, without the headers of responses.
        package var byteCount: Int64 = 0
        /// The time that reading has waited for bytes, in nanoseconds.
        package var waited: Int64 = 0
        /// The peak and average bit rates that the playlist states, in bits per second; nil if it
        /// states none.
        package var bitRate: Int?
        package var averageBitRate: Int?
        /// The segments that arrived.
        package var segments = TransferRates()
        /// The video and the audio that were read.
        package var video = MediaTotals()
        package var audio = MediaTotals()
    }

    /// A file or an address that could not be opened although the asset refers to it.
    package struct Failure: Sendable, Hashable {
        package var uri: String
        /// The time of the failure, in seconds since 1970.
        package var date: Double
        package var serverAddress: String?
        package var error: MediaError

        package init(uri: String, date: Double, serverAddress: String?, error: MediaError) {
            self.uri = TransferLog.short(uri)
            self.date = date
            self.serverAddress = serverAddress
            self.error = error
        }
    }

    /// The newest entries and failures, in order.
    package private(set) var entries: [Entry] = []
    package private(set) var failures: [Failure] = []
    /// The number of all entries and failures, including those that were removed.
    package private(set) var entryCount = 0
    package private(set) var failureCount = 0

    /// The maximum number of entries, and of failures, that are kept.
    package static let limit = 256
    /// The maximum length of an address that is kept, in bytes.
    package static let addressLimit = 4096

    package init() {}

    /// Begins an entry for a variant.
    package mutating func begin(
        _ uri: String, bitRate: Int?, averageBitRate: Int?, at date: Double
    ) {
        var entry = Entry(uri: Self.short(uri), date: date)
        entry.serverAddress = entries.last?.serverAddress
        (entry.bitRate, entry.averageBitRate) = (bitRate, averageBitRate)
        entryCount += 1
        entries.append(entry)
        if entries.count > Self.limit { entries.removeFirst() }
    }

    /// Records which variant was opened first. Nothing is recorded if no request was answered.
    package mutating func describe(_ uri: String, bitRate: Int?, averageBitRate: Int?) {
        guard !entries.isEmpty else { return }
        entries[entries.count - 1].uri = Self.short(uri)
        entries[entries.count - 1].bitRate = bitRate
        entries[entries.count - 1].averageBitRate = averageBitRate
    }

    /// Records a request that a server has answered. The first one begins the first entry.
    package mutating func addRequest(_ uri: String, serverAddress: String?, at date: Double) {
        if entries.isEmpty { begin(uri, bitRate: nil, averageBitRate: nil, at: date) }
        let last = entries.count - 1
        entries[last].requestCount += 1
        let previous = entries[last].serverAddress
        if let previous, let serverAddress, previous != serverAddress {
            entries[last].serverAddressChangeCount += 1
        }
        entries[last].serverAddress = serverAddress ?? previous
    }

    package mutating func addBytes(_ count: Int) {
        guard !entries.isEmpty else { return }
        entries[entries.count - 1].byteCount += Int64(count)
    }

    package mutating func addWait(_ nanoseconds: Int64) {
        guard !entries.isEmpty else { return }
        entries[entries.count - 1].waited += nanoseconds
    }

    /// Records a segment that has been read, to its end or not.
    package mutating func addSegment(byteCount: Int64, waited: Int64, duration: Int64?) {
        guard !entries.isEmpty else { return }
        entries[entries.count - 1].segments.add(
            byteCount: byteCount, waited: waited, duration: duration)
    }

    /// Records a packet that was read, with its duration in nanoseconds.
    package mutating func addMedia(_ type: MediaType, byteCount: Int, duration: Int64) {
        guard !entries.isEmpty else { return }
        switch type {
        case .video: entries[entries.count - 1].video.add(byteCount: byteCount, duration: duration)
        case .audio: entries[entries.count - 1].audio.add(byteCount: byteCount, duration: duration)
        default: break
        }
    }

    /// Records a file or an address that could not be opened.
    package mutating func addFailure(_ error: MediaError, uri: String, at date: Double) {
        failureCount += 1
        failures.append(
            Failure(
                uri: uri, date: date, serverAddress: entries.last?.serverAddress, error: error))
        if failures.count > Self.limit { failures.removeFirst() }
    }

    /// Returns an address without user and password, and not longer than the limit.
    private static func short(_ uri: String) -> String {
        var uri = uri
        if let start = uri.firstRange(ofText: "://")?.upperBound {
            let authority = uri[start...].prefix { !"/?#\\".contains($0) }
            if let at = authority.lastIndex(of: "@") { uri.removeSubrange(start...at) }
        }
        return uri.utf8.count <= addressLimit
            ? uri : String(decoding: uri.utf8.prefix(addressLimit), as: UTF8.self)
    }
}
