// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadBuffers
import PlayheadTime

/// Switching between the variants of a stream.
extension FFmpegDemuxer {
    func prefer(_ variants: VariantPreference) {
        choice.preference = variants
        options.variants = variants
    }

    /// Switches to another variant at the keyframe that was just read, if a switch is due. The new
    /// variant returns that keyframe again.
    func goesOnElsewhere(before packet: MediaPacket) throws(MediaError) -> Bool {
        let timeline = live.segments
        // If times differ from the container's times, another variant cannot seek to this position.
        let canBeSought =
            continuity?.isMoving != true || timeline != nil || context.presentation != nil
        guard choice.isChoice, canBeSought, packet.isKeyframe, packet.presentationTime.isNumeric,
            let leading = leadingStream.map({ Int($0.pointee.index) }), packet.trackID == leading,
            let variant = choice.next(after: monitor.statistics, isRemote: context.isRemote)
        else { return false }
        do {
            let segment = timeline?.sequence(
                at: packet.presentationTime + VideoFrame.timeTolerance)
            let start =
                context.presentation == nil ? .zero : packet.presentationTime + presentationStart
            let next = try open(
                variant, from: start, at: segment.map { .segment($0) } ?? .edge)
            guard next.variants.current == variant, hasSameTracks(as: next) else {
                choice.drop(variant)
                return false
            }
            context = next
        } catch {
            // A seek that is due says nothing about the variant.
            if interrupt.isCancelled || interrupt.stopsWaiting { throw error }
            choice.drop(variant)
            return false
        }
        choice.take(variant)
        noteVariant(isFirst: false)
        applySelection()
        var starts = ends
        for track in selection where track < streamCount {
            starts[track] = ends[track] ?? packet.presentationTime
        }
        starts[leading] = packet.presentationTime
        continuity?.forgetPlaces()
        if isLive { alignPeriod() }
        // If there is a timeline of segments, the new variant begins with that of the keyframe.
        if timeline == nil {
            _ = try land(at: packet.presentationTime, prerolls: false)
        }
        changed = selection
        junction = VariantJunction(starts: starts, leading: leading)
        pending = pending[pendingIndex...].filter { admits($0) }
        pendingIndex = 0
        return true
    }

    /// Records the current variant in the log of the transfer.
    func noteVariant(isFirst: Bool) {
        guard let address = context.mediaAddress else { return }
        func declared(_ rate: Int?) -> Int? { rate.flatMap { $0 > 0 ? $0 : nil } }
        monitor.noteVariant(
            address, bitRate: declared(choice.current?.bandwidth),
            averageBitRate: declared(choice.current?.averageBandwidth), isFirst: isFirst)
    }

    /// Opens the container again with a given variant. If seeking requires opening the container
    /// again, reading begins at `start`; in a live stream, it begins at `place`.
    func open(
        _ variant: VariantChoice.Variant?, from start: MediaTime = .zero,
        at place: LiveReading.Place = .edge
    ) throws(MediaError) -> FormatContext {
        defer { interrupt.begin() }
        var options = options
        if let variant {
            options.variants = VariantPreference(
                peakBitRate: variant.bandwidth, followsThroughput: false)
        }
        return try FormatContext(
            source, options: options, interrupt: interrupt, transfer: monitor, live: live,
            at: place, from: start, following: followed)
    }

    /// Returns whether `readPacket` may return a packet during the transition between two variants.
    func admits(_ packet: MediaPacket) -> Bool {
        guard let box = packet.payload as? PacketBox else { return true }
        switch junction?.use(packet) {
        case .dropped: return false
        case .decodedOnly: box.pointer.pointee.flags |= AV_PKT_FLAG_DISCARD
        case .used, nil: break
        }
        if changed.remove(packet.trackID) != nil {
            announce(context.stream(packet.trackID)?.pointee.codecpar, in: box)
            box.parameters = periodParameters(ofTrack: packet.trackID)
        }
        return true
    }

    /// Attaches the header of another variant, or of a stream that has come back, to a packet, for
    /// the decoder. MP4 segments do not contain the header, and RTP need not.
    func announce(_ codec: UnsafePointer<AVCodecParameters>?, in box: PacketBox) {
        guard let codec, let header = codec.pointee.extradata, codec.pointee.extradata_size > 0,
            let data = av_packet_new_side_data(
                box.pointer, AV_PKT_DATA_NEW_EXTRADATA, Int(codec.pointee.extradata_size))
        else { return }
        data.update(from: header, count: Int(codec.pointee.extradata_size))
    }

    /// Returns whether the current decoders can decode another variant.
    func hasSameTracks(as other: FormatContext) -> Bool {
        context.streams.count == other.streams.count && hasSameCodecs(as: other)
    }

    /// Returns whether the streams of another opening have the codecs of those with their numbers.
    func hasSameCodecs(as other: FormatContext) -> Bool {
        zip(context.streams, other.streams).allSatisfy { ours, theirs in
            guard let ours = ours?.pointee.codecpar, let theirs = theirs?.pointee.codecpar
            else { return false }
            return ours.pointee.codec_id == theirs.pointee.codec_id
                && ours.pointee.codec_type == theirs.pointee.codec_type
        }
    }
}
