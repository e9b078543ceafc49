// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadAudio
import PlayheadBuffers
public import PlayheadCompositions
import PlayheadFFmpeg
import PlayheadText
public import PlayheadTimelines
public import PlayheadVideoCompositions

extension Timeline {
    /// Opens the media of the timeline and creates a composition from it.
    ///
    /// The composition has the durations of the timeline, even if its media is shorter. A
    /// placeholder with the clip's name replaces missing media, and black fills gaps in video.
    ///
    ///     let (composition, rules, mix, notes) = await timeline.makeComposition()
    ///     let item = PlayerItem(asset: composition.makeAsset())
    ///     item.videoComposition = rules
    ///     item.audioMix = mix
    ///
    /// - Parameter options: The options for opening each file.
    /// - Returns: The composition; the rules for its video transitions, or nil if there are none;
    ///   the volumes for its audio transitions, or nil if there are none; and the differences from
    ///   the timeline, each listed once. A track with transitions becomes two tracks, whose clips
    ///   overlap. Both of them have to be enabled.
    public func makeComposition(
        options: AssetOptions = AssetOptions()
    ) async -> (
        composition: MutableComposition, videoComposition: VideoComposition?, audioMix: AudioMix?,
        notes: [TimelineNote]
    ) {
        var opened: [TimelineMedia: TimelineComposer.Opened] = [:]
        let archives = OpenArchives()
        for media in TimelineComposer.media(of: self) {
            do throws(MediaError) {
                let asset = try media.makeAsset(options: options, archives: archives) {
                    FFmpegOpener($0, options: $1)
                }
                opened[media] = .success((asset, try await asset.load(.description)))
            } catch {
                opened[media] = .failure(error)
            }
        }
        do {
            let result = try TimelineComposer.composition(
                of: self, opened: opened, makeStill: StillAsset.init(of:width:height:))
            let mix = result.crossfades.isEmpty ? nil : AudioMix(result.crossfades)
            return (result.composition, result.videoComposition, mix, result.notes)
        } catch {
            return (
                MutableComposition(), nil, nil,
                notes + [TimelineNote(place: "", text: error.description)]
            )
        }
    }
}

extension TimelineAsset {
    /// Creates an asset for a timeline file. This does no work and cannot fail.
    package convenience init(
        path: String, timeline: TimelineOptions = TimelineOptions(),
        options: AssetOptions = AssetOptions(),
        noteHandler: @escaping @Sendable ([TimelineNote]) -> Void = { _ in }
    ) {
        let archives = OpenArchives()
        self.init(
            path: path, options: timeline,
            makers: Makers(
                asset: { (media) throws(MediaError) in
                    try media.makeAsset(options: options, archives: archives) {
                        FFmpegOpener($0, options: $1)
                    }
                },
                still: { StillAsset(of: $0, width: $1, height: $2) },
                composed: { $0.withTransitions($1, crossfades: $2) }),
            noteHandler: noteHandler)
    }
}

extension StillAsset {
    /// Creates an asset that shows an image, with the image's text drawn over it.
    fileprivate convenience init(of image: StillImage, width: Int, height: Int) {
        self.init(name: image.text ?? "still", width: width, height: height) { width, height in
            let picture = image.picture(width: width, height: height)
            guard let text = image.text else { return picture }
            let size = max(Double(min(width, height)) / 14, 8)
            let label = try? TextPictures.shared.picture(
                of: "Media offline\n\(text)", style: TextStyle(size: size),
                maximumWidth: max(width * 9 / 10, 1))
            return label.map { picture.with($0) } ?? picture
        }
    }
}

extension PixelBuffer {
    /// Returns a copy of the buffer with `label`, a premultiplied image, drawn in its centre. Both
    /// have the format `.rgba`.
    fileprivate func with(_ label: PixelBuffer) -> PixelBuffer {
        let (left, top) = ((width - label.width) / 2, (height - label.height) / 2)
        return PixelBuffer(
            format: format, width: width, height: height, attachments: attachments
        ) { _, bytes, bytesPerRow in
            let below = planes[0]
            for row in 0..<height {
                UnsafeMutableRawBufferPointer(rebasing: bytes[(row * bytesPerRow)...])
                    .copyMemory(
                        from: UnsafeRawBufferPointer(
                            start: below.baseAddress + row * below.bytesPerRow, count: width * 4))
            }
            let above = label.planes[0]
            for row in max(0, -top)..<max(max(0, -top), min(label.height, height - top)) {
                for column in max(0, -left)..<max(max(0, -left), min(label.width, width - left)) {
                    let color = (above.baseAddress + row * above.bytesPerRow + column * 4)
                        .loadUnaligned(as: SIMD4<UInt8>.self)
                    let offset = (row + top) * bytesPerRow + (column + left) * 4
                    let old = SIMD4<UInt32>(
                        truncatingIfNeeded: bytes.loadUnaligned(
                            fromByteOffset: offset, as: SIMD4<UInt8>.self))
                    let share = 255 - UInt32(color.w)
                    let sum =
                        SIMD4<UInt32>(truncatingIfNeeded: color) &+ (old &* share &+ 127) / 255
                    bytes.storeBytes(
                        of: SIMD4<UInt8>(clamping: sum), toByteOffset: offset,
                        as: SIMD4<UInt8>.self)
                }
            }
        }
    }
}
