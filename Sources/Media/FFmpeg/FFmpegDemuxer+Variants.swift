// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// From one variant of a stream to another.
extension FFmpegDemuxer {
    func prefer(_ variants: VariantPreference) {
        choice.preference = variants
        options.variants = variants
    }

    /// Switches to another variant, if it is time for that, at the keyframe that has just been
    /// read: it then comes again.
    func goesOnElsewhere(before packet: MediaPacket) throws(MediaError) -> Bool {
        // Where its times are not the container's own, its place in another variant cannot be
        // sought.
        let canBeSought = continuity?.isMoving != true || !description.duration.isNumeric
        guard choice.isChoice, canBeSought, packet.isKeyframe, packet.presentationTime.isNumeric,
            let leading = leadingStream.map({ Int($0.pointee.index) }), packet.trackID == leading,
            let variant = choice.next(after: monitor.statistics, isRemote: context.isRemote)
        else { return false }
        do {
            let next = try open(variant)
            guard next.variants.current == variant, hasSameTracks(as: next) else {
                choice.drop(variant)
                return false
            }
            context = next
        } catch {
            if interrupt.isCancelled { throw error }
            choice.drop(variant)
            return false
        }
        choice.take(variant)
        applySelection()
        var starts = ends
        for track in selection { starts[track] = ends[track] ?? packet.presentationTime }
        starts[leading] = packet.presentationTime
        continuity?.forgetPlaces()
        // Live streams go on from where they begin, which is before the newest part.
        if description.duration.isNumeric {
            _ = try land(at: packet.presentationTime, prerolls: false)
        }
        changed = selection
        junction = VariantJunction(starts: starts, leading: leading)
        pending = pending[pendingIndex...].filter { admits($0) }
        pendingIndex = 0
        return true
    }

    /// Opens the container once more, of several variants this one, and from a place if it can be
    /// moved no other way.
    func open(
        _ variant: VariantChoice.Variant?, from start: MediaTime = .zero
    ) throws(MediaError) -> FormatContext {
        defer { interrupt.begin() }
        var options = options
        if let variant {
            options.variants = VariantPreference(
                peakBitRate: variant.bandwidth, followsThroughput: false)
        }
        return try FormatContext(
            source, options: options, interrupt: interrupt, transfer: monitor, from: start)
    }

    /// Whether a packet is to be read on, where one variant takes the place of another.
    func admits(_ packet: MediaPacket) -> Bool {
        guard let box = packet.payload as? PacketBox else { return true }
        switch junction?.use(packet) {
        case .dropped: return false
        case .decodedOnly: box.pointer.pointee.flags |= AV_PKT_FLAG_DISCARD
        case .used, nil: break
        }
        if changed.remove(packet.trackID) != nil {
            announce(context.streams[packet.trackID]?.pointee.codecpar, in: box)
        }
        return true
    }

    /// Gives a decoder the header of another variant, which parts in MP4 do not carry.
    private func announce(_ codec: UnsafePointer<AVCodecParameters>?, in box: PacketBox) {
        guard let codec, let header = codec.pointee.extradata, codec.pointee.extradata_size > 0,
            let data = av_packet_new_side_data(
                box.pointer, AV_PKT_DATA_NEW_EXTRADATA, Int(codec.pointee.extradata_size))
        else { return }
        data.update(from: header, count: Int(codec.pointee.extradata_size))
    }

    /// Whether decoders for what is read now do for another variant.
    private func hasSameTracks(as other: FormatContext) -> Bool {
        context.streams.count == other.streams.count
            && zip(context.streams, other.streams).allSatisfy { ours, theirs in
                guard let ours = ours?.pointee.codecpar, let theirs = theirs?.pointee.codecpar
                else { return false }
                return ours.pointee.codec_id == theirs.pointee.codec_id
                    && ours.pointee.codec_type == theirs.pointee.codec_type
            }
    }
}
