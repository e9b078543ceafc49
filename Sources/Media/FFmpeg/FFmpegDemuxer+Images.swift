// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadAssets

/// Files in image formats.
extension FFmpegDemuxer {
    /// Finds out whether a file in an image format holds one image or the frames of a video, and
    /// sets the duration of an image.
    ///
    /// A source that can be read only once is not examined, because its next image may not exist
    /// yet.
    func examineImages() {
        if isOfImages, !isReadOnce, let first = readImageAhead() {
            let second = readImageAhead()
            description.holdsImageSeries =
                second.map { ImageSeries.continues(first, with: $0) } ?? false
            description.holdsOneImage = !description.holdsImageSeries
        }
        description.stretchImage(to: options.stillDuration)
        guard description.holdsOneImage else { return }
        // Packets have the duration of the image from now on.
        pending = pending.compactMap { ($0.payload as? PacketBox).flatMap { packet(from: $0) } }
    }

    /// Returns whether a packet is behind the only image of a file, such as a preview or a gain
    /// map.
    func isBehindImage(_ values: AVPacket) -> Bool {
        description.holdsOneImage && isOfImages && values.pts > 0
    }

    /// Returns whether a packet is the header of Filmstrip, which is behind the frames. FFmpeg
    /// reads on into it (confirmed in 5.1).
    func isBehindFrames(_ values: AVPacket, of stream: UnsafePointer<AVStream>) -> Bool {
        let count = stream.pointee.nb_frames
        return description.container == "filmstrip" && count > 0 && values.pts >= count
    }

    private var isOfImages: Bool {
        AssetDescription.isOfImages(container: description.container)
    }

    private func readImageAhead() -> PacketBox? {
        guard openingError == nil else { return nil }
        do {
            guard let packet = try readFromContainer() else { return nil }
            pending.append(packet)
            return packet.payload as? PacketBox
        } catch {
            openingError = error
            return nil
        }
    }
}

extension AssetSource {
    /// A Boolean value that indicates whether the bytes can be read only once, in order.
    var isReadOnce: Bool {
        if case .data(let data, _) = self { !data.isSeekable } else { false }
    }
}
