// The events of curated vaults by hand: topic and signature, as the deployed contracts have them.

/** Emitted by MetaMorpho (the losses and names by 1.1 only) and by Euler Earn. */
export const COMMON_TOPICS: readonly (readonly [topic: string, signature: string])[] = [
  [
    "0xb3aa0ade2442acf51d06713c2d1a5a3ec0373cce969d42b53f4689f97bccf380",
    "SubmitTimelock(uint256 newTimelock)",
  ],
  [
    "0xd28e9b90ee9b37c5936ff84392d71f29ff18117d7e76bcee60615262a90a3f75",
    "SetTimelock(address indexed caller, uint256 newTimelock)",
  ],
  [
    "0x921828337692c347c634c5d2aacbc7b756014674bd236f3cc2058d8e284a951b",
    "RevokePendingTimelock(address indexed caller)",
  ],
  [
    "0x7633313af54753bce8a149927263b1a55eba857ba4ef1d13c6aee25d384d3c4b",
    "SubmitGuardian(address indexed newGuardian)",
  ],
  [
    "0xcb11cc8aade2f5a556749d1b2380d108a16fac3431e6a5d5ce12ef9de0bd76e3",
    "SetGuardian(address indexed caller, address indexed guardian)",
  ],
  [
    "0xc40a085ccfa20f5fd518ade5c3a77a7ecbdfbb4c75efcdca6146a8e3c841d663",
    "RevokePendingGuardian(address indexed caller)",
  ],
  [
    "0xbd0a63c12948fbc9194a5839019f99c9d71db924e5c70018265bc778b8f1a506",
    "SetCurator(address indexed newCurator)",
  ],
  [
    "0x74dc60cbc81a9472d04ad1d20e151d369c41104d655ed3f2f3091166a502cd8d",
    "SetIsAllocator(address indexed allocator, bool isAllocator)",
  ],
  [
    "0x01fe2943baee27f47add82886c2200f910c749c461c9b63c5fe83901a53bdb49",
    "SetFee(address indexed caller, uint256 newFee)",
  ],
  [
    "0x2e979f80fe4d43055c584cf4a8467c55875ea36728fc37176c05acd784eb7a73",
    "SetFeeRecipient(address indexed newFeeRecipient)",
  ],
  [
    "0xf66f28b40975dbb933913542c7e6a0f50a1d0f20aa74ea6e0efe65ab616323ec",
    "AccrueInterest(uint256 newTotalAssets, uint256 feeShares)",
  ],
  [
    "0x15c027cc4fd826d986cad358803439f7326d3aa4ed969ff90dbee4bc150f68e9",
    "UpdateLastTotalAssets(uint256 updatedTotalAssets)",
  ],
  [
    "0x548669ea9bcc24888e6d74a69c9865fa98d795686853b8aa3eb87814261bbb71",
    "UpdateLostAssets(uint256 newLostAssets)",
  ],
  ["0x4df9dcd34ae35f40f2c756fd8ac83210ed0b76d065543ee73d868aec7c7fcf02", "SetName(string name)"],
  ["0xadf3ae8bd543b3007d464f15cb8ea1db3f44e84d41d203164f40b95e27558ac6", "SetSymbol(string symbol)"],
  [
    "0x38d16b8cac22d99fc7c124b9cd0de2d3fa1faef420bfe791d8c362d765e22700",
    "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)",
  ],
  [
    "0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0",
    "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)",
  ],
];

export const METAMORPHO_TOPICS: typeof COMMON_TOPICS = [
  [
    "0xed8c95d05909b0f217f3e68171ef917df4b278d5addfe4dda888e90279be7d1d",
    "CreateMetaMorpho(address indexed metaMorpho, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)",
  ],
  [
    "0xe851bb5856808a50efd748be463b8f35bcfb5ec74c5bfde776fe0a4d2a26db27",
    "SubmitCap(address indexed caller, bytes32 indexed id, uint256 cap)",
  ],
  [
    "0xe86b6d3313d3098f4c5f689c935de8fde876a597c185def2cedab85efedac686",
    "SetCap(address indexed caller, bytes32 indexed id, uint256 cap)",
  ],
  [
    "0x1026ceca5ed3747eb5edec555732d4a6f901ce1a875ecf981064628cadde1120",
    "RevokePendingCap(address indexed caller, bytes32 indexed id)",
  ],
  [
    "0x3240fc70754c5a2b4dab10bf7081a00024bfc8491581ee3d355360ec0dd91f16",
    "SubmitMarketRemoval(address indexed caller, bytes32 indexed id)",
  ],
  [
    "0xcbeb8ecdaa5a3c133e62219b63bfc35bce3fda13065d2bed32e3b7dde60a59f4",
    "RevokePendingMarketRemoval(address indexed caller, bytes32 indexed id)",
  ],
  [
    "0x2e7908865670e21b9779422cadf5f1cba271a62bb95c71eaaf615c0a1c48ebee",
    "SetSkimRecipient(address indexed newSkimRecipient)",
  ],
  [
    "0x6ce31538fc7fba95714ddc8a275a09252b4b1fb8f33d2550aa58a5f62ad934de",
    "SetSupplyQueue(address indexed caller, bytes32[] newSupplyQueue)",
  ],
  [
    "0xe0c2db6b54586be6d7d49943139fccf0dd315ba63e55364a76c73cd8fdba724d",
    "SetWithdrawQueue(address indexed caller, bytes32[] newWithdrawQueue)",
  ],
  [
    "0x89bf199df65bf65155e3e0a8abc4ad4a1be606220c8295840dba2ab5656c1f6d",
    "ReallocateSupply(address indexed caller, bytes32 indexed id, uint256 suppliedAssets, uint256 suppliedShares)",
  ],
  [
    "0xdd8bf5226dff861316e0fa7863fdb7dc7b87c614eb29a135f524eb79d5a1189a",
    "ReallocateWithdraw(address indexed caller, bytes32 indexed id, uint256 withdrawnAssets, uint256 withdrawnShares)",
  ],
  [
    "0x2ae72b44f59d038340fca5739135a1d51fc5ab720bb02d983e4c5ff4119ca7b8",
    "Skim(address indexed caller, address indexed token, uint256 amount)",
  ],
];

export const EULER_EARN_TOPICS: typeof COMMON_TOPICS = [
  [
    "0x2ecfce4fdb2055c9639b56f59c2a14eeafce06a51d93d898155bc11b6141896f",
    "CreateEulerEarn(address indexed eulerEarn, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)",
  ],
  [
    "0x7bfc48861a5d71fc7afd7b9c92b4feeef1628ab1d5145dede52590c46dd155e9",
    "SubmitCap(address indexed caller, address indexed id, uint256 cap)",
  ],
  [
    "0x10dbbfa98a21bc7a80d86cb89391600c590e0e2ce25698013741bcad42956569",
    "SetCap(address indexed caller, address indexed id, uint256 cap)",
  ],
  [
    "0x23edd264f2dcc193d13a29cdab4ac169d60d9b4a0e74f0303c753036d8eb1c13",
    "RevokePendingCap(address indexed caller, address indexed id)",
  ],
  [
    "0x354f25f4208ab6528fb2d016019c0e2a66f51376cbb2cc8571064779735d3485",
    "SubmitMarketRemoval(address indexed caller, address indexed id)",
  ],
  [
    "0x8387c3346650400a72032f8bd1aa3f5f44038cf2bf32945e8eeb8a498decea77",
    "RevokePendingMarketRemoval(address indexed caller, address indexed id)",
  ],
  [
    "0xb07686dd0abe7422b9801e8f38bafd24669a65591071f11120c2f6a7c175813e",
    "SetSupplyQueue(address indexed caller, address[] newSupplyQueue)",
  ],
  [
    "0x834ae37621cd31f2636b1cb6f1bded844d79ecf755af866b5d896da642d7b567",
    "SetWithdrawQueue(address indexed caller, address[] newWithdrawQueue)",
  ],
  [
    "0x73e8a9d66522fa5c6fcec2e89aad8e52f6f66eadeb7fc7c172cfcbacb5283851",
    "ReallocateSupply(address indexed caller, address indexed id, uint256 suppliedAssets, uint256 suppliedShares)",
  ],
  [
    "0x416d9fcbb15941508bf9f557a950fb085de673ae90db45a32efdc9b35f29b0f1",
    "ReallocateWithdraw(address indexed caller, address indexed id, uint256 withdrawnAssets, uint256 withdrawnShares)",
  ],
  ["0xd89dfe4d6279a28791eaa0e6ce55810b1e6289c809bd7d1797b734db31076707", "SetPerspective(address)"],
];
