// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets
import PlayheadTime

/// Lists the captions in the container's streams as separate tracks.
///
/// The numbers of these tracks differ from those of streams: the upper bits hold the number of the
/// stream, counted from 1, and the lower bits that of the service.
extension FFmpegDemuxer {
    /// The number of packets of a video that are examined for captions when it is opened. If a
    /// video has captions, each frame has them, even if only as padding.
    private static let examinedPackets = 4
    /// The number of packets in which services are searched for: about two seconds.
    private static let searchedPackets = 60
    private static let searchedTime = MediaTime(value: 2, timescale: 1)
    /// The limit on the bytes that are read for the search.
    private static let searchedBytes = 4 << 20

    private static func identifier(of service: CaptionService, in stream: Int) -> Int {
        (stream + 1) << 16 | service.number
    }

    /// Returns the stream that contains a caption track's data; nil for other tracks.
    func captionStream(of identifier: Int) -> Int? {
        identifier >> 16 > 0 ? identifier >> 16 - 1 : nil
    }

    /// Finds the captions of the streams and adds their tracks, when the container is opened.
    ///
    /// Usually FFmpeg has already read the packets that this method reads. They are kept.
    func findCaptions() {
        for case let stream? in context.streams {
            captionHosts[Int(stream.pointee.index)] = CaptionHost(stream)
        }
        for index in description.tracks.indices { describeCaptions(&description.tracks[index]) }
        guard !captionHosts.isEmpty else { return }
        var finders: [Int: CaptionFinder] = [:]
        var counts: [Int: Int] = [:]
        var bytes = 0
        func isNeeded(_ stream: Int) -> Bool {
            let isFound = finders[stream]?.services.isEmpty == false
            return counts[stream, default: 0]
                < (isFound ? Self.searchedPackets : Self.examinedPackets)
        }
        let videos = captionHosts.filter { !$0.value.isTrack }.keys
        while videos.contains(where: isNeeded), bytes < Self.searchedBytes,
            pending.count < Self.maximumSearch
        {
            let packet: MediaPacket?
            do throws(MediaError) {
                packet = try readFromContainer()
            } catch {
                openingError = error
                return
            }
            guard let packet else { break }
            pending.append(packet)
            bytes += packet.byteCount
            let time = packet.decodeTime
            if time.isNumeric, time > description.startTime + Self.searchedTime { break }
            guard let host = captionHosts[packet.trackID], let box = packet.payload as? PacketBox
            else { continue }
            counts[packet.trackID, default: 0] += 1
            captionHosts[packet.trackID]?.take(packet, box)
            finders[packet.trackID, default: CaptionFinder()].read(
                CaptionUserData.pairs(of: box, host.form))
        }
        for (stream, finder) in finders.sorted(by: { $0.key < $1.key }) {
            add(finder.services, of: stream)
        }
    }

    /// The maximum number of packets of all streams that are read for the search.
    private static var maximumSearch: Int { 1024 }

    private func add(_ services: Set<CaptionService>, of stream: Int) {
        let host = description.tracks[stream]
        for service in services.sorted() where host.captions != service {
            var track = AssetTrack(
                id: Self.identifier(of: service, in: stream), mediaType: .closedCaption,
                formatDescription: FormatDescription(codec: service.codec),
                title: service.name, timeRange: host.timeRange, timeUnit: host.timeUnit)
            Self.mark(&track, as: service)
            description.tracks.append(track)
        }
    }

    /// Describes a track that consists of captions.
    private func describeCaptions(_ track: inout AssetTrack) {
        switch captionHosts[track.id]?.form {
        case .triples: Self.mark(&track, as: .line21(1))
        case .distributionPackets: Self.mark(&track, as: .digital(1))
        default: break
        }
    }

    private static func mark(_ track: inout AssetTrack, as service: CaptionService) {
        track.captions = service
        track.mediaType = .closedCaption
        track.characteristics.formUnion([.legible, .closedCaptions])
        track.formatDescription.codec = service.codec
        track.formatDescription.codecName =
            switch service {
            case .line21: "CEA-608 closed captions"
            case .digital: "CEA-708 closed captions"
            }
    }

    // MARK: - Reading

    /// Returns the next packet of a selected caption track that is part of another stream, or nil.
    func nextCaptions() -> MediaPacket? {
        for identifier in selectedCaptions {
            guard let stream = captionStream(of: identifier) else { continue }
            if let entry = nextEntry(of: identifier, in: stream) {
                return MediaPacket(
                    trackID: identifier, presentationTime: entry.time, decodeTime: entry.time,
                    duration: entry.duration, isKeyframe: true,
                    byteCount: entry.payload.pairs.count * 3, payload: entry.payload)
            }
        }
        return nil
    }

    /// Returns the next captions for a track. Captions that all selected tracks of the stream have
    /// read are discarded.
    private func nextEntry(of identifier: Int, in stream: Int) -> CaptionHost.Entry? {
        let alike = selectedCaptions.filter { captionStream(of: $0) == stream }
        guard let host = captionHosts[stream] else { return nil }
        let count = captionCounts[identifier, default: 0]
        guard count < host.ready.count else { return nil }
        captionCounts[identifier] = count + 1
        let entry = host.ready[count]
        if alike.allSatisfy({ captionCounts[$0, default: 0] > 0 }) {
            _ = captionHosts[stream]?.pop()
            for identifier in alike { captionCounts[identifier, default: 1] -= 1 }
        }
        return entry
    }

    /// Discards captions that were read, for a seek.
    func clearCaptions() {
        for stream in captionHosts.keys { captionHosts[stream]?.clear() }
        captionCounts = [:]
    }

    /// Creates the decoder of a caption track.
    func makeCaptionDecoder(_ service: CaptionService, for track: AssetTrack) -> any SubtitleDecoder
    {
        let stream = captionStream(of: track.id) ?? track.id
        let size = (description.preferredTrack(of: .video) ?? track).naturalSize
        let range = description.tracks[stream].timeRange
        let end = range.end.isNumeric ? range.end : description.startTime + description.duration
        // As in receivers, pictures that are wider than the middle between 4:3 and 16:9 count as
        // wide.
        let isWide = size.height <= 0 || size.width / size.height > 1.55
        let decoder = CaptionDecoder(service, end: end, isWide: isWide)
        guard let form = captionHosts[stream]?.form else { return decoder }
        return FFmpegCaptionDecoder(
            decoder, form: form, hasTimecodes: description.container == "scc")
    }
}

extension CaptionUserData {
    static func pairs(of box: PacketBox, _ form: CaptionHost.Form) -> [CaptionPair] {
        guard let data = box.pointer.pointee.data, box.pointer.pointee.size > 0 else { return [] }
        return pairs(
            in: UnsafeRawBufferPointer(start: data, count: Int(box.pointer.pointee.size)), form)
    }
}
