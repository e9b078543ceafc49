// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// The layout of samples in a texture, and in the memory from which the texture is filled.
///
/// One table maps the layout of a plane (channels, bytes per channel, integer or float) to OpenGL's
/// names. No other code in Playhead names a texture format.
///
/// - Corresponds to: the internal format, format and type of `glTexImage2D`.
public struct GLTextureFormat: Sendable, Hashable {
    /// The number of channels of a texel, 1 to 4.
    package let channelCount: Int
    /// The number of bytes of a channel in memory: 1, 2 or 4.
    package let bytesPerChannel: Int
    /// A Boolean value that indicates whether texels are floats, neither clamped nor rounded.
    package let isFloat: Bool

    let internalFormat: Int32
    let format: UInt32
    let type: UInt32

    /// The OpenGL code of the internal format, such as `GL_RGBA8`.
    package var internalFormatCode: UInt32 { UInt32(internalFormat) }
    /// The OpenGL code of the layout in memory, such as `GL_RGBA`.
    package var formatCode: UInt32 { format }
    /// The OpenGL code of a channel's type in memory, such as `GL_UNSIGNED_BYTE`.
    package var typeCode: UInt32 { type }

    /// The number of bytes of a texel when it is uploaded, without padding.
    package var bytesPerTexel: Int { channelCount * bytesPerChannel }
    /// The number of bits of a colour channel; nil for floats.
    package var bitDepth: Int? {
        isFloat ? nil : internalFormat == GL_RGB10_A2 ? 10 : bytesPerChannel * 8
    }

    /// The table of formats, from OpenGL 3.3 core, tables 3.12 and 3.3. Shaders read integers as
    /// values from 0 to 1.
    private static let table: [GLTextureFormat] = {
        let formats = [GL_RED, GL_RG, GL_RGB, GL_RGBA]
        let rows: [(bytes: Int, isFloat: Bool, type: Int32, internal: [Int32])] = [
            (1, false, GL_UNSIGNED_BYTE, [GL_R8, GL_RG8, GL_RGB8, GL_RGBA8]),
            (2, false, GL_UNSIGNED_SHORT, [GL_R16, GL_RG16, GL_RGB16, GL_RGBA16]),
            (2, true, GL_HALF_FLOAT, [GL_R16F, GL_RG16F, GL_RGB16F, GL_RGBA16F]),
            (4, true, GL_FLOAT, [GL_R32F, GL_RG32F, GL_RGB32F, GL_RGBA32F]),
        ]
        return rows.flatMap { row in
            (0..<4).map {
                GLTextureFormat(
                    channelCount: $0 + 1, bytesPerChannel: row.bytes, isFloat: row.isFloat,
                    internalFormat: row.internal[$0], format: UInt32(formats[$0]),
                    type: UInt32(row.type))
            }
        }
    }()

    private init(
        channelCount: Int, bytesPerChannel: Int, isFloat: Bool, internalFormat: Int32,
        format: UInt32, type: UInt32
    ) {
        self.channelCount = channelCount
        self.bytesPerChannel = bytesPerChannel
        self.isFloat = isFloat
        self.internalFormat = internalFormat
        self.format = format
        self.type = type
    }

    /// Creates the format for texels with the given channels; nil if OpenGL has no such format.
    package init?(channelCount: Int, bytesPerChannel: Int, isFloat: Bool = false) {
        let row = Self.table.first {
            $0.channelCount == channelCount && $0.bytesPerChannel == bytesPerChannel
                && $0.isFloat == isFloat
        }
        guard let row else { return nil }
        self = row
    }

    /// Returns a format with the same memory layout and another internal format.
    func filled(internalFormat: Int32) -> GLTextureFormat {
        GLTextureFormat(
            channelCount: channelCount, bytesPerChannel: bytesPerChannel, isFloat: isFloat,
            internalFormat: internalFormat, format: format, type: type)
    }

    /// Four channels of 8 bits. The default for drawing.
    public static let rgba8 = table[3]
    /// Four channels of 16 bits, for video compositions, and for the output of an effect that could
    /// be fused with the next one but is drawn separately.
    package static let rgba16 = table[7]
    /// `rgba8` with blue first in memory, as in windows on X11. Mesa keeps a texture in the byte
    /// order of the upload only if its internal format is unsized, such as `GL_RGBA`.
    package static let bgra8 = GLTextureFormat(
        channelCount: 4, bytesPerChannel: 1, isFloat: false, internalFormat: GL_RGBA,
        format: UInt32(GL_BGRA), type: UInt32(GL_UNSIGNED_INT_8_8_8_8_REV))
    /// Three colour channels of 10 bits and alpha of 2 bits, for displays of 10 bits.
    package static let rgb10A2 = GLTextureFormat(
        channelCount: 4, bytesPerChannel: 1, isFloat: false, internalFormat: GL_RGB10_A2,
        format: UInt32(GL_RGBA), type: UInt32(GL_UNSIGNED_INT_2_10_10_10_REV))
    /// Four channels of 16-bit floats, for linear light and for intermediate results between the
    /// passes of a filter.
    package static let rgba16Float = table[11]
    /// One channel of 8 bits.
    package static let r8 = table[0]
    /// One channel of 32-bit floats, for lookup tables in shaders.
    package static let r32Float = table[12]
    /// Four channels of 32-bit floats, for the targets of ISF's `FLOAT` passes.
    package static let rgba32Float = table[15]
}
