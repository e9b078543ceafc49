// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg
import PlayheadBuffers

extension ColorAttachments {
    /// Creates colour attachments from FFmpeg's enumerations. Their values are the code points of
    /// H.273.
    ///
    /// - Parameter isFullRangeFormat: A Boolean value that indicates whether the pixel format
    ///   implies full range, as the deprecated `yuvj…` formats do.
    init(
        matrix: AVColorSpace, range: AVColorRange, primaries: AVColorPrimaries,
        transfer: AVColorTransferCharacteristic, chromaLocation: AVChromaLocation,
        isFullRangeFormat: Bool
    ) {
        let declaredRange: Range =
            switch range {
            case AVCOL_RANGE_MPEG: .limited
            case AVCOL_RANGE_JPEG: .full
            default: .unspecified
            }
        self.init(
            matrix: Matrix(rawValue: UInt8(clamping: matrix.rawValue)),
            range: isFullRangeFormat ? .full : declaredRange,
            primaries: Primaries(rawValue: UInt8(clamping: primaries.rawValue)),
            transfer: Transfer(rawValue: UInt8(clamping: transfer.rawValue)),
            chromaLocation: ChromaLocation(rawValue: UInt8(clamping: chromaLocation.rawValue))
                ?? .unspecified)
    }
}

extension PixelBufferAttachments {
    /// Creates the attachments of all frames of a stream from its parameters.
    init(_ stream: UnsafeMutablePointer<AVStream>, of context: FormatContext) {
        let parameters = stream.pointee.codecpar.pointee
        let ratio = av_guess_sample_aspect_ratio(context.pointer, stream, nil)
        let matrix = ph_stream_display_matrix(stream)
        self.init(
            color: ColorAttachments(
                matrix: parameters.color_space, range: parameters.color_range,
                primaries: parameters.color_primaries, transfer: parameters.color_trc,
                chromaLocation: parameters.chroma_location,
                isFullRangeFormat: PixelFormatTable.isFullRange(
                    AVPixelFormat(parameters.format))),
            pixelAspectRatio: PixelAspectRatio(ratio),
            orientation: matrix.map { PictureOrientation(displayMatrix: $0) } ?? .up,
            fieldOrder: FieldOrder(parameters.field_order),
            masteringDisplayColorVolume: SideData.value(
                AV_PKT_DATA_MASTERING_DISPLAY_METADATA, of: stream,
                as: AVMasteringDisplayMetadata.self
            ).flatMap { MasteringDisplayColorVolume($0) },
            contentLightLevel: SideData.value(
                AV_PKT_DATA_CONTENT_LIGHT_LEVEL, of: stream, as: AVContentLightMetadata.self
            ).map { ContentLightLevel($0) })
    }

    /// Creates the attachments of a frame. If the frame lacks a value, the value of its stream is
    /// used.
    ///
    /// - Parameter containerRatio: The container's pixel aspect ratio; 0/1 if there is no such
    ///   ratio. It takes precedence over the ratio of the frame, because a wrong ratio is corrected
    ///   in the container. FFmpeg's `av_guess_sample_aspect_ratio` and mpv do the same.
    init(
        _ frame: UnsafeMutablePointer<AVFrame>, stream: PixelBufferAttachments,
        containerRatio: AVRational
    ) {
        let values = frame.pointee
        var color = ColorAttachments(
            matrix: values.colorspace, range: values.color_range,
            primaries: values.color_primaries, transfer: values.color_trc,
            chromaLocation: values.chroma_location,
            isFullRangeFormat: PixelFormatTable.isFullRange(AVPixelFormat(values.format)))
        if color.matrix == .unspecified { color.matrix = stream.color.matrix }
        if color.range == .unspecified { color.range = stream.color.range }
        if color.primaries == .unspecified { color.primaries = stream.color.primaries }
        if color.transfer == .unspecified { color.transfer = stream.color.transfer }
        if color.chromaLocation == .unspecified {
            color.chromaLocation = stream.color.chromaLocation
        }
        var ratio = stream.pixelAspectRatio
        if containerRatio.num <= 0, values.sample_aspect_ratio.num > 0 {
            ratio = PixelAspectRatio(values.sample_aspect_ratio)
        }
        var orientation = stream.orientation
        if let side = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX),
            side.pointee.size >= 9 * MemoryLayout<Int32>.size
        {
            orientation = side.pointee.data.withMemoryRebound(to: Int32.self, capacity: 9) {
                PictureOrientation(displayMatrix: $0)
            }
        }
        var fieldOrder = FieldOrder.progressive
        if ph_frame_is_interlaced(frame) != 0 {
            fieldOrder =
                ph_frame_top_field_first(frame) != 0 ? .topFieldFirst : .bottomFieldFirst
        }
        self.init(
            color: color, pixelAspectRatio: ratio, orientation: orientation,
            fieldOrder: fieldOrder,
            masteringDisplayColorVolume: SideData.value(
                AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, of: frame,
                as: AVMasteringDisplayMetadata.self
            ).flatMap { MasteringDisplayColorVolume($0) } ?? stream.masteringDisplayColorVolume,
            contentLightLevel: SideData.value(
                AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, of: frame, as: AVContentLightMetadata.self
            ).map { ContentLightLevel($0) } ?? stream.contentLightLevel)
    }
}

extension PixelBufferAttachments.PixelAspectRatio {
    /// Creates a pixel aspect ratio. FFmpeg's unknown ratio, 0/1, becomes square pixels.
    init(_ ratio: AVRational) {
        self.init(horizontal: Int(ratio.num), vertical: Int(ratio.den))
    }
}

extension PixelBufferAttachments.FieldOrder {
    /// Creates the order in which fields are displayed, which the second letter of FFmpeg's name
    /// states.
    init(_ order: AVFieldOrder) {
        switch order {
        case AV_FIELD_TT, AV_FIELD_BT: self = .topFieldFirst
        case AV_FIELD_BB, AV_FIELD_TB: self = .bottomFieldFirst
        default: self = .progressive
        }
    }
}
