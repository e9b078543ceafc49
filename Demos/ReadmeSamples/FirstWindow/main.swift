// SPDX-License-Identifier: Apache-2.0

import PlayheadUI

let window = try PlayerWindow(asset: URLAsset("Media/greenscreen.mp4"))
window.player.play()
MainLoop.shared.run()
