// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import Testing

@Suite struct ColorAttachmentsTests {
    private typealias Color = ColorAttachments
    private static let models: [PixelFormat.Model] = [.yCbCr, .rgb, .gray]
    private static let sizes = [
        (640, 480), (720, 576), (1279, 576), (1280, 720), (3840, 2160), (1, 1),
    ]

    /// All values that streams may declare, including ones without a name.
    private static let declared: [Color] = {
        var all: [Color] = []
        for matrix: UInt8 in [0, 1, 2, 5, 6, 7, 9, 10, 77] {
            for primaries: UInt8 in [1, 2, 5, 6, 9, 12, 88] {
                for transfer: UInt8 in [1, 2, 13, 16, 18, 99] {
                    for range in Color.Range.allCases {
                        all.append(
                            Color(
                                matrix: .init(rawValue: matrix), range: range,
                                primaries: .init(rawValue: primaries),
                                transfer: .init(rawValue: transfer)))
                    }
                }
            }
        }
        return all
    }()

    @Test
    func `resolved attachments have no unspecified value, and resolving again changes nothing`() {
        for color in Self.declared {
            for model in Self.models {
                for (width, height) in Self.sizes {
                    let resolved = color.resolved(width: width, height: height, model: model)
                    #expect(resolved.matrix != .unspecified && resolved.range != .unspecified)
                    #expect(resolved.primaries != .unspecified && resolved.transfer != .unspecified)
                    #expect(resolved.chromaLocation != .unspecified)
                    #expect(
                        resolved == resolved.resolved(width: width, height: height, model: model))
                }
            }
        }
    }

    @Test func `declared attachments are kept, except a matrix that contradicts the model`() {
        for color in Self.declared {
            for model in Self.models {
                let resolved = color.resolved(width: 720, height: 576, model: model)
                if color.range != .unspecified { #expect(resolved.range == color.range) }
                if color.primaries != .unspecified {
                    #expect(resolved.primaries == color.primaries)
                }
                if color.transfer != .unspecified { #expect(resolved.transfer == color.transfer) }
                if color.matrix != .unspecified, color.matrix != .rgb, model != .rgb {
                    #expect(resolved.matrix == color.matrix)
                }
                #expect((resolved.matrix == .rgb) == (model == .rgb))
                #expect(resolved.alpha == color.alpha)
            }
        }
    }

    @Test func `untagged Y'CbCr is BT.709 in HD and BT.601 below, limited, chroma to the left`() {
        let standard: [(Int, Int, Color.Matrix, Color.Primaries)] = [
            (640, 480, .bt601, .smpte170m), (720, 480, .bt601, .smpte170m),
            (720, 576, .bt601, .bt470bg), (1279, 576, .bt601, .bt470bg),
            (1280, 576, .bt709, .bt709), (720, 577, .bt709, .bt709), (1920, 1080, .bt709, .bt709),
        ]
        for (width, height, matrix, primaries) in standard {
            let color = Color().resolved(width: width, height: height, model: .yCbCr)
            #expect(color.matrix == matrix && color.primaries == primaries)
            #expect(color.range == .limited && color.transfer == .bt709)
            #expect(color.chromaLocation == .left)
        }
    }

    @Test func `untagged RGB is sRGB in full range, and untagged grey is full too`() {
        let rgb = Color().resolved(width: 8, height: 8, model: .rgb)
        #expect(rgb.matrix == .rgb && rgb.range == .full && rgb.primaries == .bt709)
        #expect(rgb.transfer == .sRGB)
        #expect(Color().resolved(width: 8, height: 8, model: .gray).range == .full)
    }

    @Test func `an unspecified matrix follows from the primaries, and the reverse`() {
        let wide = Color(primaries: .bt2020).resolved(width: 720, height: 480, model: .yCbCr)
        #expect(wide.matrix == .bt2020NonConstantLuminance)
        let hd = Color(primaries: .bt709).resolved(width: 720, height: 480, model: .yCbCr)
        #expect(hd.matrix == .bt709)
        for matrix in [Color.Matrix.bt2020NonConstantLuminance, .bt2020ConstantLuminance] {
            let color = Color(matrix: matrix).resolved(width: 720, height: 480, model: .yCbCr)
            #expect(color.primaries == .bt2020)
        }
        let old = Color(matrix: .smpte240m).resolved(width: 1920, height: 1035, model: .yCbCr)
        #expect(old.primaries == .smpte240m)
        let pal = Color(matrix: .bt470bg).resolved(width: 1920, height: 1080, model: .yCbCr)
        #expect(pal.primaries == .bt470bg)
    }
}
