// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension AssetResourceLoader {
    /// Reads a playlist completely, checks its nesting, and reduces it to the variant that will be
    /// played, or to the segments of a live stream that will be read. Other data is returned
    /// unchanged.
    ///
    /// - Parameter name: The address or path under which FFmpeg loads the data.
    func dataOrPlaylist(
        _ data: PeekedDataSource, at address: HTTPAddress?, of name: String, depth: Int
    ) throws(MediaError) -> any MediaDataSource {
        if depth == 0, let playlist = try presentationPlaylist(data, at: address, of: name) {
            return try take(playlist, at: address, of: name, depth: depth)
        }
        guard data.head.starts(with: Playlist.signature),
            var playlist = Playlist(try wholeText(data))
        else { return data }
        if let address { playlist.resolveAddresses(against: address) }
        playlist = try wholePlaylist(playlist, of: name)
        return try take(playlist, at: address, of: name, depth: depth)
    }

    /// Returns the part of a playlist that will be played.
    func take(
        _ playlist: Playlist, at address: HTTPAddress?, of name: String, depth: Int
    ) throws(MediaError) -> MemoryDataSource {
        try checkReferences(of: playlist, at: address, of: name)
        var playlist = playlist
        if playlist.isMultivariant {
            listCount += 1
            let choices = playlist.choices
            let preference = address == nil ? options.variants : try preference(for: playlist)
            let chosen = playlist.choose(preference)
            takeTextRenditions(of: &playlist, at: address, of: name)
            // Only the first choice is recorded, because a nested playlist only narrows it further.
            if variants.isEmpty { (variants, variant) = (choices, chosen) }
            reading.mainAddress = playlist.firstPart
            reading.repeatedAddresses = playlist.repeatedAddresses
            reading.statedStart = playlist.start ?? reading.statedStart
        } else if playlist.isLive {
            // RFC 8216, section 6.2.1: the next segment may take this long to appear. If a server
            // adds no segment for three times as long, its stream has stopped.
            interrupt.allow(3 * playlist.targetDuration * 1_000_000_000)
        }
        if !playlist.isMultivariant, presentation == nil, reading.isMain(name) {
            live.take(dateRangesOf: playlist)
            live.take(recording: playlist)
        }
        if address != nil { reading.note(playlist, of: name) }
        if !playlist.isMultivariant,
            try !reading.take(&playlist, from: name, isRemote: address != nil, of: live),
            presentation == nil
        {
            hasPartsWithHeaders = hasPartsWithHeaders || playlist.hasHeaders
            begin(&playlist, isMain: reading.isMain(name))
        }
        if address != nil { reading.note(durationsOf: playlist, from: name) }
        if !playlist.isMultivariant, deepestList == 0, let address {
            mediaAddress = address.description
        }
        deepestList = max(deepestList, depth)
        return MemoryDataSource(playlist.bytes)
    }

    /// Removes the segments of a recording before the time at which reading begins.
    private func begin(_ playlist: inout Playlist, isMain: Bool) {
        var beginning = listed ?? ListedBeginning()
        beginning.listCount += 1
        if start > .zero {
            let whole = MediaPlaylist(playlist).duration
            playlist.begin(at: start.seconds)
            let time = whole - MediaPlaylist(playlist).duration
            if isMain { beginning.main = time } else { beginning.rendition = time }
        }
        if reading.place.isEdge { listed = beginning }
    }

    /// Loads the main playlist of a live stream again, without FFmpeg.
    func reloadPlaylist() throws(MediaError) {
        guard let address = reading.loadedAddress else { return }
        let depth = max(listCount, 1)
        do throws(MediaError) {
            if let playlist = try trackPlaylist(address) {
                _ = try take(playlist, at: nil, of: address, depth: depth)
                return
            }
            try countOpen()
            let source = try transfer.wait(opens: 1) { () throws(MediaError) in
                try openChildSource(reloadAddress(of: address), (0, nil))
            }
            try takePlaylist(source, address, of: address)
        } catch {
            options.accessObserver?(AssetAccess(subject: address, depth: depth, error: error))
            throw error
        }
    }

    /// The fraction of the network's bandwidth that a stream may use, as in
    /// `DEFAULT_BANDWIDTH_FRACTION` of ExoPlayer.
    private static let usableFraction = 0.7
    /// The maximum amount of data, and the maximum time, for measuring the bandwidth.
    private static let sample = (bytes: Int64(1) << 19, nanoseconds: Int64(1_000_000_000))

    /// Returns the caller's limits. For a playlist from a network, the measured bandwidth is a
    /// further limit.
    private func preference(for playlist: Playlist) throws(MediaError) -> VariantPreference {
        var preference = options.variants
        guard preference.followsThroughput,
            let lowest = playlist.lowestOfSeveral(passing: preference),
            let bitRate = measureBitRate(of: lowest)
        else {
            if let violation { throw violation }
            return preference
        }
        let cap = max(1, Int(min(bitRate * Self.usableFraction, 1e12)))
        preference.peakBitRate = preference.peakBitRate > 0 ? min(preference.peakBitRate, cap) : cap
        return preference
    }

    /// Returns the rate at which the first segment of a variant arrives, in bits per second,
    /// including the time of the request. Returns nil if the segment does not arrive.
    private func measureBitRate(of variant: String) -> Double? {
        do throws(MediaError) {
            guard let part = try firstPart(of: variant) else { return nil }
            let start = HostClock.nanoseconds
            let end = start + Self.sample.nanoseconds
            let source = try openSample(part, to: Self.sample.bytes)
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
            defer { block.deallocate() }
            var count: Int64 = 0
            while count < Self.sample.bytes, HostClock.nanoseconds < end {
                let read = try source.read(
                    into: block, at: count, isCancelled: { interrupt.isTriggered })
                if read == 0 { break }
                count += Int64(read)
            }
            let seconds = Double(HostClock.nanoseconds - start) / 1e9
            return count > 0 && seconds > 0 ? Double(count) * 8 / seconds : nil
        } catch {
            return nil
        }
    }

    /// Returns the address of the first segment of a variant.
    private func firstPart(of variant: String) throws(MediaError) -> String? {
        if let playlist = try trackPlaylist(variant) { return playlist.firstPart }
        let list = try openSample(variant, to: nil)
        let bytes = try list.bytes(
            upTo: rules.playlistBytes, isCancelled: { interrupt.isTriggered })
        return Playlist(bytes)?.firstPart.map { list.address.resolving($0) }
    }

    /// Opens data that is not passed to FFmpeg. The access rules apply to it too.
    private func openSample(_ url: String, to end: Int64?) throws(MediaError) -> HTTPDataSource {
        let depth = max(listCount, 1)
        do throws(MediaError) {
            try countOpen()
            guard let address = HTTPAddress(url) else {
                throw MediaError(.notAllowed, subject: url, cause: "it is not an HTTP address")
            }
            let source = try openFromNetwork(address, from: 0, to: end)
            options.accessObserver?(AssetAccess(subject: url, depth: depth))
            return source
        } catch {
            options.accessObserver?(AssetAccess(subject: url, depth: depth, error: error))
            throw error
        }
    }
}
